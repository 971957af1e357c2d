package io.uniserve.protocol.replica;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Truncation at the front of one replica's log. The state file first gets the new log start offset durably, and then the segment files are
 * deleted. After a crash in between, the next start deletes the remaining files.
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
     * Truncates the log if the replica's role permits it.
     *
     * @param applied last entry that the engine has applied; an engine that is built from an old checkpoint needs the entries after it
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
                    "{}: truncation of the log's front failed, will be retried: {}",
                    key,
                    err.error().getMessage());
        }
    }
}
