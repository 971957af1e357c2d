/**
 * The coordinator (docs/protocol.md, section 6): election by term, membership, catalog, fail-over and restoration of replicas. Classes
 * named {@code *Manager} hold hard state, which is in ZooKeeper. Classes named {@code *Monitor} hold soft state (pings, reports), which
 * starts empty with every term. Decisions are pure and level-triggered, with one compare-and-set per step.
 */
@NullMarked
package io.uniserve.protocol.coordinator;

import org.jspecify.annotations.NullMarked;
