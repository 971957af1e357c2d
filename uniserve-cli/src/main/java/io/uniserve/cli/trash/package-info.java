/** Commands for what servers keep in their trash: replicas that nothing proves to be of no use. */
@NullMarked
package io.uniserve.cli.trash;

import org.jspecify.annotations.NullMarked;
