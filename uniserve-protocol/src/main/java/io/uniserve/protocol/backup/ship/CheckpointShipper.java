package io.uniserve.protocol.backup.ship;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.CheckpointManifest;
import io.uniserve.protocol.backup.restore.CheckpointDownload;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.storage.CheckpointStore;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Uploader of checkpoints for the primary of one epoch, as one half of its continuous backup. It uploads a checkpoint when enough log was
 * shipped since the last one, and passes it on to be recorded. Once this primary's own record names the checkpoint, it deletes objects that
 * are no longer needed. Uploads and deletions never run at the same time.
 */
final class CheckpointShipper {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointShipper.class);

    /** A checkpoint is uploaded after log of this fraction of its size was shipped. That bounds uploads to a multiple of the log. */
    private static final int LOG_SHARE = 4;

    private static final int RETRY_INTERVALS = 5;
    private static final String STEP = "the checkpoint";

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final long epoch;
    private final ReplicaLog log;
    private final CheckpointStore checkpoints;
    private final @Nullable ParticipantShippingChecker otherParticipants;
    private final BackupFailureTracker failures;
    private final String prefix;
    private final Map<String, String> storedChunks = new TreeMap<>();
    private String generation = "";
    private CheckpointStore.@Nullable Hold candidate;
    private @Nullable CheckpointUpload upload;
    private CheckpointUpload.@Nullable Uploaded pending;
    private @Nullable CheckpointManifest manifest;
    private String manifestKey = "";
    private String damagedKey = "";
    private @Nullable BackupCleaner cleaner;
    private boolean fetching;
    private boolean cleaningDue = true;
    private boolean closed;
    private long bytesSinceCheckpoint;
    private long bytesDue;
    private int objectsSinceCheckpoint;
    private long bytesCovered;
    private int objectsCovered;
    private long retryAt;

    /** @param others decides when a checkpoint may be stored; null if that does not depend on other actors */
    CheckpointShipper(
            ReplicaContext host,
            ReplicaKey key,
            long epoch,
            ReplicaLog log,
            CheckpointStore checkpoints,
            @Nullable ParticipantShippingChecker others,
            BackupFailureTracker trouble) {
        this.failures = trouble;
        this.otherParticipants = others;
        this.host = host;
        this.key = key;
        this.epoch = epoch;
        this.log = log;
        this.checkpoints = checkpoints;
        this.prefix = BackupPaths.checkpointPrefix(host.config().clusterId(), key);
        this.retryAt = host.env().clock().nanos();
    }

    /** An uploaded checkpoint that is not recorded yet; null for none. */
    CheckpointUpload.@Nullable Uploaded pending() {
        return pending;
    }

    /** Counts a shipped run of the log. Many small runs make a takeover slow, so a checkpoint then replaces them. */
    void onShipped(long bytes) {
        bytesSinceCheckpoint += bytes;
        objectsSinceCheckpoint++;
        if (objectsSinceCheckpoint % Limits.BACKUP_LOG_OBJECTS_MAX == 0) {
            bytesDue = 0;
            checkpoints.requestCheckpoint();
        }
    }

    /** Requests a checkpoint after this index, because the log up to it can no longer be shipped. */
    void requestCheckpointAfter(long index) {
        bytesDue = 0;
        CheckpointStore.Name newest = checkpoints.newest();
        if (newest == null || newest.index() < index) {
            checkpoints.requestCheckpoint();
        }
    }

    /** Handles the end of a write of the record by this primary. */
    void onRecorded(BackupRecord record) {
        CheckpointUpload.Uploaded made = pending;
        if (made == null || !made.manifestKey().equals(record.checkpoint())) {
            return;
        }
        LOG.info(
                "{}: checkpoint of index {} backed up, {} of {} bytes were new",
                key,
                record.checkpointIndex(),
                made.sent(),
                made.manifest().bytes());
        pending = null;
        useManifest(made.manifest(), made.manifestKey());
        bytesDue = made.manifest().bytes() / LOG_SHARE;
        bytesSinceCheckpoint -= bytesCovered;
        objectsSinceCheckpoint -= objectsCovered;
        cleaningDue = true;
    }

    /** Starts a new generation for later chunks, because old generations may be deleted. */
    private void useManifest(CheckpointManifest newer, String newerKey) {
        manifest = newer;
        manifestKey = newerKey;
        storedChunks.clear();
        storedChunks.putAll(newer.generations());
        generation = BackupPaths.generation(epoch, host.env().ids().next());
    }

    boolean wantsTicks(BackupRecord record, boolean own) {
        return pending != null || candidate != null || needsUpload(record) || own && needsCleaning(record);
    }

    private boolean needsUpload(BackupRecord record) {
        CheckpointStore.Name newest = checkpoints.newest();
        return newest != null && isBetter(newest.index(), record) && bytesSinceCheckpoint >= bytesDue;
    }

    /** True when a checkpoint of this index should replace the one in the record. */
    boolean isBetter(long index, BackupRecord record) {
        boolean again = index == record.checkpointIndex() && record.checkpoint().equals(damagedKey);
        return index > record.checkpointIndex() || again && !damagedKey.isEmpty();
    }

    /** Replaces a checkpoint that is damaged in durable storage: the next upload sends all chunks, even at the same index. */
    void replaceDamaged(BackupRecord record) {
        if (closed
                || fetching
                || upload != null
                || pending != null
                || cleaner != null
                || record.checkpoint().equals(damagedKey)) {
            return;
        }
        LOG.warn("{}: checkpoint in durable storage is damaged, uploading a replacement", key);
        damagedKey = record.checkpoint();
        discardStoredManifest(record);
        bytesDue = 0;
        CheckpointStore.Name newest = checkpoints.newest();
        if (newest == null || newest.index() < record.checkpointIndex()) {
            checkpoints.requestCheckpoint();
        }
    }

    private void discardStoredManifest(BackupRecord record) {
        manifest = null;
        manifestKey = record.checkpoint();
        cleaningDue = false;
        storedChunks.clear();
    }

    private boolean needsCleaning(BackupRecord record) {
        return cleaningDue && !record.checkpoint().isEmpty();
    }

    /**
     * Does the next due step.
     *
     * @param record the record in ZooKeeper
     * @param own true if this primary wrote it
     * @param shipped last index in durable storage
     * @param learning true while a learner may read the checkpoint of this record or of the previous one
     */
    void tick(long now, BackupRecord record, boolean own, long shipped, boolean learning) {
        if (closed || fetching || upload != null || cleaner != null || now - retryAt < 0) {
            return;
        }
        CheckpointUpload.Uploaded made = pending;
        if (made != null && made.manifestKey().equals(record.checkpoint())) {
            onRecorded(record); // the reply to the write was lost
        } else if (made != null && !isBetter(made.manifest().index(), record)) {
            pending = null;
        }
        chooseCandidate(record);
        if (candidate == null && pending == null) {
            failures.onSucceeded(STEP); // no checkpoint is wanted any more
        }
        boolean uploads = pending == null
                && candidate != null
                && candidate.name.index() <= shipped
                && (otherParticipants == null || otherParticipants.haveShipped(candidate.name, now));
        boolean sweeps = pending == null && needsCleaning(record) && own && !learning;
        if ((uploads || sweeps) && !manifestKey.equals(record.checkpoint())) {
            fetchManifest(record);
        } else if (sweeps && manifest != null) {
            clean(manifest);
        } else if (uploads && candidate != null) {
            upload(candidate);
        }
    }

    private void chooseCandidate(BackupRecord record) {
        if (candidate != null
                && (candidate.isLost() || candidate.name.epoch() != log.epochAt(candidate.name.index()))) {
            releaseCandidate();
        }
        CheckpointStore.Name newest = checkpoints.newest();
        if (candidate == null
                && pending == null
                && newest != null
                && needsUpload(record)
                && newest.epoch() == log.epochAt(newest.index())) {
            candidate = checkpoints.hold(newest);
            bytesCovered = bytesSinceCheckpoint;
            objectsCovered = objectsSinceCheckpoint;
        }
    }

    private void releaseCandidate() {
        candidate = null;
        checkpoints.release();
    }

    /** Reads the recorded manifest: its chunks need not be sent again, and must not be deleted. */
    private void fetchManifest(BackupRecord record) {
        fetching = true;
        CheckpointDownload.manifest(host.env(), prefix, key, record.checkpoint(), found -> {
            fetching = false;
            if (found instanceof Outcome.Ok<CheckpointManifest> ok) {
                useManifest(ok.value(), record.checkpoint());
            } else if (found.error().code() == ErrorCode.CORRUPT) {
                LOG.warn("{}: checkpoint in durable storage is damaged, the next upload sends all chunks", key);
                discardStoredManifest(record);
            } else {
                failures.onFailed(STEP, host.env().clock().nanos(), found.error());
                retryLater();
            }
        });
    }

    private void upload(CheckpointStore.Hold hold) {
        if (generation.isEmpty()) {
            generation = BackupPaths.generation(epoch, host.env().ids().next());
        }
        CheckpointUpload next =
                new CheckpointUpload(host.env(), prefix, key, checkpoints, hold, generation, storedChunks, outcome -> {
                    upload = null;
                    releaseCandidate();
                    if (outcome instanceof Outcome.Ok<CheckpointUpload.Uploaded> ok) {
                        pending = ok.value();
                        failures.onSucceeded(STEP);
                    } else {
                        onUploadFailed(hold, outcome.error());
                    }
                });
        upload = next;
        next.run();
    }

    private void onUploadFailed(CheckpointStore.Hold hold, UniserveException error) {
        LOG.warn("{}: checkpoint {} cannot be backed up, will be retried: {}", key, hold.name, error.getMessage());
        failures.onFailed(STEP, host.env().clock().nanos(), error);
        if (error.code() == ErrorCode.CORRUPT && hold.name.equals(checkpoints.newest())) {
            checkpoints.markNewestDamaged(); // the engine still has its contents, so the next checkpoint is intact
        }
        retryLater();
    }

    private void clean(CheckpointManifest kept) {
        BackupCleaner next = new BackupCleaner(host.env(), host.config().clusterId(), key, whole -> {
            cleaner = null;
            cleaningDue = !whole;
            if (!whole) {
                retryLater();
            }
        });
        cleaner = next;
        next.run(kept, manifestKey, epoch);
    }

    private void retryLater() {
        retryAt = host.env().clock().nanos() + RETRY_INTERVALS * host.config().shippingNanos();
    }

    /** True while objects are being deleted. */
    boolean isCleaning() {
        return cleaner != null;
    }

    /** Schedules a deletion, as objects that a deleted backup had pinned may be unused. */
    void scheduleCleaning() {
        cleaningDue = true;
    }

    void close() {
        closed = true;
        if (upload != null) {
            upload.cancel();
        }
        if (cleaner != null) {
            cleaner.cancel();
        }
        releaseCandidate();
    }
}
