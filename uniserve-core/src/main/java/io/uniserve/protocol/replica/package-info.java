/**
 * One replica of an actor: its log, its engine, its part as primary or follower (docs/protocol.md, sections 2 and 3).
 *
 * <p><b>What is applied.</b> Every replica applies an entry as soon as the entry is on its own disk, without waiting until it
 * is stable: an update acknowledged at level PRIMARY is visible at once, as eventual tables promise, and a follower lags by
 * one message. The price is paid where entries are cut after a fail-over: a replica that has applied one of them builds its
 * engine anew from the newest checkpoint on the log that remains, and replays. Only durable entries are replicated, so a
 * failed write of the primary is never seen by anyone.
 *
 * <p><b>Who decides.</b> {@link io.uniserve.protocol.replica.Replica} owns the parts and the epoch;
 * {@link io.uniserve.protocol.replica.EngineApplier} owns the engine; {@link io.uniserve.protocol.replica.Primary} exists for one
 * epoch. All of them run on the server's loop.
 */
@NullMarked
package io.uniserve.protocol.replica;

import org.jspecify.annotations.NullMarked;
