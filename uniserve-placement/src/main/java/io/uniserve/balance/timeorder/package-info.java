/** Placement of time-ordered actors as they come: by predicted load, by distance in time, by number. */
@NullMarked
package io.uniserve.balance.timeorder;

import org.jspecify.annotations.NullMarked;
