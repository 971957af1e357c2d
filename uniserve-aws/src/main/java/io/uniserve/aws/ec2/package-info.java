/** Servers as instances of EC2: launches by intent, tags that name cluster and launch, and the errors of EC2. */
@NullMarked
package io.uniserve.aws.ec2;

import org.jspecify.annotations.NullMarked;
