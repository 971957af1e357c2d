/**
 * Hot path of reads. Workers answer clients from the state that the state machine's loop has published, without a hop through the loop, and
 * without ZooKeeper, coordinator or locks. A worker checks the actor's gate, pins the actor, runs the operator, checks gate and lease
 * again with a new reading of the clock, and releases the actor. The last worker of a request merges the partial values and replies.
 */
@NullMarked
package io.uniserve.server.read;

import org.jspecify.annotations.NullMarked;
