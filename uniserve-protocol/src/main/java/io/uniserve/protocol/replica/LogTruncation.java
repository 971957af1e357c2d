package io.uniserve.protocol.replica;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.replica.context.ReplicaHealth;
import io.uniserve.protocol.replica.engine.EngineApplier;
import io.uniserve.protocol.replica.storage.OpenReplicaFiles;
import io.uniserve.protocol.replica.storage.RecoveryPointWriter;

/**
 * Truncation of the end of a replica's log while its engine is paused. It first lowers the recovery point in the state file, then
 * truncates, then counts the removed entries.
 */
final class LogTruncation {
    private final ReplicaHealth replicaHealth;
    private final RecoveryPointWriter recoveryPoint;
    private boolean running;

    LogTruncation(ReplicaHealth replicaHealth, RecoveryPointWriter marks) {
        this.replicaHealth = replicaHealth;
        this.recoveryPoint = marks;
    }

    /** True while a truncation is running. */
    boolean running() {
        return running;
    }

    /** @param keep whether removed entries are saved and counted; false if no other replica and no client has got them */
    void run(OpenReplicaFiles parts, EngineApplier engine, long after, boolean keep, Completion<Long> completion) {
        running = true;
        recoveryPoint.suspend(true);
        engine.suspend();
        parts.file().change(state -> state.withSynced(Math.min(after, state.synced())), lowered -> {
            if (lowered instanceof Outcome.Err<Done> err) {
                complete(parts, engine, Outcome.err(err.error()), keep, completion);
            } else if (keep) {
                parts.log().truncateAfter(after, cut -> complete(parts, engine, cut, true, completion));
            } else {
                parts.log().discardAfter(after, cut -> complete(parts, engine, cut, false, completion));
            }
        });
    }

    private void complete(
            OpenReplicaFiles parts,
            EngineApplier engine,
            Outcome<Long> cut,
            boolean keep,
            Completion<Long> completion) {
        running = false;
        recoveryPoint.suspend(false);
        engine.resume(parts.log().lastIndex());
        if (cut instanceof Outcome.Ok<Long> ok) {
            replicaHealth.clearFilesError();
            if (keep && ok.value() > 0) {
                parts.file().change(state -> state.withRolledBack(ok.value()), done -> {});
            }
        } else {
            replicaHealth.filesFailed(cut.error());
        }
        completion.done(cut);
    }
}
