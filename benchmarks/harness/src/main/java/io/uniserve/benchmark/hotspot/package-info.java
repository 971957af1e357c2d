/** {@code bench hotspot}: one hot part of a table, without and with automatic balancing, on several ports. */
@NullMarked
package io.uniserve.benchmark.hotspot;

import org.jspecify.annotations.NullMarked;
