/** Event loop: the single thread of a daemon's state machine, with tasks in order, timers, and a handler of fatal failures. */
@NullMarked
package io.uniserve.runtime.loop;

import org.jspecify.annotations.NullMarked;
