/** Load benchmarks that print a ratio to a peer measured in the same run, with the peer's code where no product is meant. */
@NullMarked
package io.uniserve.cli.bench;

import org.jspecify.annotations.NullMarked;
