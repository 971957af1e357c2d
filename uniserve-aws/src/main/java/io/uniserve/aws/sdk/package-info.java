/** What the clients of all AWS services have in common. */
@NullMarked
package io.uniserve.aws.sdk;

import org.jspecify.annotations.NullMarked;
