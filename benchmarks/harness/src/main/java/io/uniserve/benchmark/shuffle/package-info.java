/** {@code bench shuffle}: exchange between servers, compared with a bare gRPC stream of the same bytes. */
@NullMarked
package io.uniserve.benchmark.shuffle;

import org.jspecify.annotations.NullMarked;
