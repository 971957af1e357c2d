/** What is known about load: bounded sketches and smoothing. */
@NullMarked
package io.uniserve.balance.stats;

import org.jspecify.annotations.NullMarked;
