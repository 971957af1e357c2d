/** Servers as instances of EC2: launches by intent, tags that name cluster and launch, the errors of EC2, and notices of interruptions. */
@NullMarked
package io.uniserve.aws.ec2;

import org.jspecify.annotations.NullMarked;
