/**
 * The coordinator (docs/protocol.md, section 6): election by term, membership, catalog, fail-over and restoring of replicas. Hard
 * state lies in the registry and is held by {@code *Manager} classes, soft state (pings, reports) in {@code *Monitor}
 * classes that start empty with every reign; decisions are pure and level-triggered, one compare-and-set a step.
 */
@NullMarked
package io.uniserve.protocol.coordinator;

import org.jspecify.annotations.NullMarked;
