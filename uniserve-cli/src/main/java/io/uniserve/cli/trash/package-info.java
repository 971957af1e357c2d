/** {@code uniserve trash}: replicas in the trash of servers, which nothing proves to be useless. */
@NullMarked
package io.uniserve.cli.trash;

import org.jspecify.annotations.NullMarked;
