/** Placement policies for a running cluster: proposals as moves of single replicas. */
@NullMarked
package io.uniserve.placement.live;

import org.jspecify.annotations.NullMarked;
