package io.uniserve.protocol.replica;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops what is no longer needed from the front of one replica's log: first the state file says durably where the log begins
 * from now on, then the files go. A crash in between leaves files that the next start deletes.
 */
final class LogCleaner {
    private static final Logger LOG = LoggerFactory.getLogger(LogCleaner.class);
    private static final int RETRIES = 5;

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final VersionIndex trail;
    private final LogTruncation cutting;
    private boolean running;
    private long nextAt;

    LogCleaner(ReplicaContext host, ReplicaKey key, VersionIndex trail, LogTruncation cutting) {
        this.host = host;
        this.key = key;
        this.trail = trail;
        this.cutting = cutting;
        this.nextAt = host.env().clock().nanos();
    }

    /**
     * Time passes, in which the replica's part allows this to go.
     *
     * @param applied the last entry that the engine has: one that is being built from an old checkpoint needs what follows
     */
    void tick(long now, OpenReplica parts, LogRetention needs, long applied) {
        ReplicaLog log = parts.log();
        if (running || cutting.running() || now - nextAt < 0 || needs.through() <= log.baseIndex()) {
            return;
        }
        long checkpoint = Math.min(applied, parts.checkpoints().secondOn(log));
        if (log.droppable(needs.through(checkpoint, 0)) > log.baseIndex()) {
            long through = log.droppable(needs.through(checkpoint, trail.undecidedAt()));
            if (through > log.baseIndex()) {
                nextAt = now + RETRIES * host.config().retryNanos();
                drop(parts, through);
            }
        }
    }

    private void drop(OpenReplica parts, long through) {
        running = true;
        long epoch = parts.log().epochAt(through);
        long hash = parts.log().hashAt(through);
        parts.file().change(state -> state.dropped(through, epoch, hash), noted -> {
            if (noted instanceof Outcome.Err<Done>) {
                end(noted);
            } else {
                parts.log().dropThrough(through, this::end);
            }
        });
    }

    private void end(Outcome<Done> done) {
        running = false;
        if (done instanceof Outcome.Err<Done> err) {
            LOG.warn(
                    "{}: entries that nobody needs cannot be dropped from the log, is tried again: {}",
                    key,
                    err.error().getMessage());
        }
    }
}
