/** Placement of time-ordered actors on arrival: by predicted load, by distance in time, by number. */
@NullMarked
package io.uniserve.placement.timeorder;

import org.jspecify.annotations.NullMarked;
