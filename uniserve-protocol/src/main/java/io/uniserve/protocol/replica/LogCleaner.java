package io.uniserve.protocol.replica;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.state.VersionIndex;
import io.uniserve.protocol.replica.storage.LogRetentionBounds;
import io.uniserve.protocol.replica.storage.OpenReplicaFiles;
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
    private final VersionIndex versionIndex;
    private final LogTruncation logTruncation;
    private boolean running;
    private long nextAt;

    LogCleaner(ReplicaContext host, ReplicaKey key, VersionIndex trail, LogTruncation cutting) {
        this.host = host;
        this.key = key;
        this.versionIndex = trail;
        this.logTruncation = cutting;
        this.nextAt = host.env().clock().nanos();
    }

    /**
     * Truncates the log if the replica's role permits it.
     *
     * @param applied last entry that the engine has applied; an engine that is built from an old checkpoint needs the entries after it
     */
    void tick(long now, OpenReplicaFiles parts, LogRetentionBounds needs, long applied) {
        if (running || logTruncation.running() || now - nextAt < 0) {
            return;
        }
        long through = droppableIndex(parts, needs, applied);
        if (through > parts.log().baseIndex()) {
            nextAt = now + RETRIES * host.config().retryNanos();
            drop(parts, through);
        }
    }

    /** True if entries can be deleted, now or after the pause that follows the last deletion. */
    boolean wantsTicks(OpenReplicaFiles parts, LogRetentionBounds needs, long applied) {
        return droppableIndex(parts, needs, applied) > parts.log().baseIndex();
    }

    /** The last entry that may be deleted; the index before the log's start if there is none. */
    private long droppableIndex(OpenReplicaFiles parts, LogRetentionBounds needs, long applied) {
        ReplicaLog log = parts.log();
        if (needs.droppableIndex() <= log.baseIndex()) {
            return log.baseIndex();
        }
        long checkpoint = Math.min(applied, parts.checkpoints().secondNewestIndex(log));
        return log.droppableIndex(needs.droppableIndex(checkpoint, 0)) > log.baseIndex()
                ? log.droppableIndex(needs.droppableIndex(checkpoint, versionIndex.undecidedIndex()))
                : log.baseIndex();
    }

    private void drop(OpenReplicaFiles parts, long through) {
        running = true;
        long epoch = parts.log().epochAt(through);
        long hash = parts.log().hashAt(through);
        parts.file().change(state -> state.withLogStart(through, epoch, hash), noted -> {
            if (noted instanceof Outcome.Err<Done>) {
                onDropped(noted);
            } else {
                parts.log().dropThrough(through, this::onDropped);
            }
        });
    }

    private void onDropped(Outcome<Done> done) {
        running = false;
        if (done instanceof Outcome.Err<Done> err) {
            LOG.warn(
                    "{}: truncation of the log's front failed, will be retried: {}",
                    key,
                    err.error().getMessage());
        }
    }
}
