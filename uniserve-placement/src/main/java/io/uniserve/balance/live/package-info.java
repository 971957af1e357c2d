/** Placement policies on a running cluster: what they propose, as moves of single replicas. */
@NullMarked
package io.uniserve.balance.live;

import org.jspecify.annotations.NullMarked;
