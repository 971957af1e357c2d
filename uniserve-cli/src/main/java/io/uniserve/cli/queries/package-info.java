/** Commands for what servers keep in their trash: replicas that nothing proves to be of no use. */
@NullMarked
package io.uniserve.cli.queries;

import org.jspecify.annotations.NullMarked;
