/** {@code bench moves}: effect of moving primaries on clients. */
@NullMarked
package io.uniserve.benchmark.moves;

import org.jspecify.annotations.NullMarked;
