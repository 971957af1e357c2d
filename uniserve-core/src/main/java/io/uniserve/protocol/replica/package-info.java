/**
 * One replica of an actor: its log, its engine, its role as primary or follower (docs/protocol.md, sections 2 and 3).
 *
 * <p><b>Application of entries.</b> Every replica applies an entry as soon as it is on the replica's own disk, without waiting for the high
 * watermark. So an update of level PRIMARY is visible at once, as eventual tables promise, and a follower lags by one message. The cost
 * comes with truncation after a fail-over. A replica that has applied a truncated entry rebuilds its engine from the newest checkpoint on
 * the remaining log. Only durable entries are replicated, except PREPARE and the DECIDE before it, so no reader sees the effect of a failed
 * write.
 *
 * <p><b>Ownership.</b> {@link io.uniserve.protocol.replica.Replica} owns the parts and the epoch.
 * {@link io.uniserve.protocol.replica.EngineApplier} owns the engine. {@link io.uniserve.protocol.replica.Primary} exists for one epoch.
 * All of them run on the server's loop.
 */
@NullMarked
package io.uniserve.protocol.replica;

import org.jspecify.annotations.NullMarked;
