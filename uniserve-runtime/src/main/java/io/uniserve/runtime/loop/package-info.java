/** The single thread on which a daemon's state machine lives: tasks in order, timers, and a handler for what must not happen. */
@NullMarked
package io.uniserve.runtime.loop;

import org.jspecify.annotations.NullMarked;
