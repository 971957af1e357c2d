/**
 * The hot path: reads of clients, answered by worker threads from what the state machine's loop has published, without a
 * hop through the loop, without ZooKeeper, coordinator or locks. A worker checks the actor's gate, pins the actor, runs the
 * operator, checks gate and lease again by reading the clock, and lets go of the actor; the last worker of a request merges
 * the partial values and replies.
 */
@NullMarked
package io.uniserve.server.read;

import org.jspecify.annotations.NullMarked;
