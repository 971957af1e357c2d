/** {@code uniserve bench}: benchmarks that print a ratio to a peer measured in the same run. The peer is real code, or a floor without any product. */
@NullMarked
package io.uniserve.benchmark;

import org.jspecify.annotations.NullMarked;
