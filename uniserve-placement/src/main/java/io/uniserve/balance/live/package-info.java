/** Placement policies for a running cluster: proposals as moves of single replicas. */
@NullMarked
package io.uniserve.balance.live;

import org.jspecify.annotations.NullMarked;
