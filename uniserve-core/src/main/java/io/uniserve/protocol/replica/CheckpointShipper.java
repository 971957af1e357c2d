package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.BackupRecord;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
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
    private final Checkpoints checkpoints;
    private final @Nullable ShippedByAllParticipants others;
    private final BackupTrouble trouble;
    private final String prefix;
    private final Map<String, String> present = new TreeMap<>();
    private String generation = "";
    private Checkpoints.@Nullable Hold candidate;
    private @Nullable CheckpointUpload upload;
    private CheckpointUpload.@Nullable Uploaded pending;
    private @Nullable CheckpointManifest manifest;
    private String manifestKey = "";
    private String damagedKey = "";
    private @Nullable BackupCleaner sweep;
    private boolean fetching;
    private boolean sweepDue = true;
    private boolean closed;
    private long bytesSince;
    private long bytesDue;
    private int objectsSince;
    private long bytesCovered;
    private int objectsCovered;
    private long retryAt;

    /** @param others decides when a checkpoint may be stored; null if that does not depend on other actors */
    CheckpointShipper(
            ReplicaContext host,
            ReplicaKey key,
            long epoch,
            ReplicaLog log,
            Checkpoints checkpoints,
            @Nullable ShippedByAllParticipants others,
            BackupTrouble trouble) {
        this.trouble = trouble;
        this.others = others;
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
    void shipped(long bytes) {
        bytesSince += bytes;
        objectsSince++;
        if (objectsSince % Limits.BACKUP_LOG_OBJECTS_MAX == 0) {
            bytesDue = 0;
            checkpoints.want();
        }
    }

    /** Requests a checkpoint after this index, because the log up to it can no longer be shipped. */
    void wantBeyond(long index) {
        bytesDue = 0;
        Checkpoints.Name newest = checkpoints.newest();
        if (newest == null || newest.index() < index) {
            checkpoints.want();
        }
    }

    /** Handles the end of a write of the record by this primary. */
    void recorded(BackupRecord record) {
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
        use(made.manifest(), made.manifestKey());
        bytesDue = made.manifest().bytes() / LOG_SHARE;
        bytesSince -= bytesCovered;
        objectsSince -= objectsCovered;
        sweepDue = true;
    }

    /** Starts a new generation for later chunks, because old generations may be deleted. */
    private void use(CheckpointManifest newer, String newerKey) {
        manifest = newer;
        manifestKey = newerKey;
        present.clear();
        present.putAll(newer.generations());
        generation = BackupPaths.generation(epoch, host.env().ids().next());
    }

    boolean wantsTicks(BackupRecord record, boolean own) {
        return pending != null || candidate != null || wantsUpload(record) || own && wantsSweep(record);
    }

    private boolean wantsUpload(BackupRecord record) {
        Checkpoints.Name newest = checkpoints.newest();
        return newest != null && betters(newest.index(), record) && bytesSince >= bytesDue;
    }

    /** True when a checkpoint of this index should replace the one in the record. */
    boolean betters(long index, BackupRecord record) {
        boolean again = index == record.checkpointIndex() && record.checkpoint().equals(damagedKey);
        return index > record.checkpointIndex() || again && !damagedKey.isEmpty();
    }

    /** Replaces a checkpoint that is damaged in durable storage: the next upload sends all chunks, even at the same index. */
    void renew(BackupRecord record) {
        if (closed
                || fetching
                || upload != null
                || pending != null
                || sweep != null
                || record.checkpoint().equals(damagedKey)) {
            return;
        }
        LOG.warn("{}: checkpoint in durable storage is damaged, uploading a replacement", key);
        damagedKey = record.checkpoint();
        forgetStored(record);
        bytesDue = 0;
        Checkpoints.Name newest = checkpoints.newest();
        if (newest == null || newest.index() < record.checkpointIndex()) {
            checkpoints.want();
        }
    }

    private void forgetStored(BackupRecord record) {
        manifest = null;
        manifestKey = record.checkpoint();
        sweepDue = false;
        present.clear();
    }

    private boolean wantsSweep(BackupRecord record) {
        return sweepDue && !record.checkpoint().isEmpty();
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
        if (closed || fetching || upload != null || sweep != null || now - retryAt < 0) {
            return;
        }
        CheckpointUpload.Uploaded made = pending;
        if (made != null && made.manifestKey().equals(record.checkpoint())) {
            recorded(record); // the reply to the write was lost
        } else if (made != null && !betters(made.manifest().index(), record)) {
            pending = null;
        }
        choose(record);
        if (candidate == null && pending == null) {
            trouble.worked(STEP); // no checkpoint is wanted any more
        }
        boolean uploads = pending == null
                && candidate != null
                && candidate.name.index() <= shipped
                && (others == null || others.have(candidate.name, now));
        boolean sweeps = pending == null && wantsSweep(record) && own && !learning;
        if ((uploads || sweeps) && !manifestKey.equals(record.checkpoint())) {
            fetch(record);
        } else if (sweeps && manifest != null) {
            sweep(manifest);
        } else if (uploads && candidate != null) {
            upload(candidate);
        }
    }

    private void choose(BackupRecord record) {
        if (candidate != null && (candidate.lost() || candidate.name.epoch() != log.epochAt(candidate.name.index()))) {
            drop();
        }
        Checkpoints.Name newest = checkpoints.newest();
        if (candidate == null
                && pending == null
                && newest != null
                && wantsUpload(record)
                && newest.epoch() == log.epochAt(newest.index())) {
            candidate = checkpoints.hold(newest);
            bytesCovered = bytesSince;
            objectsCovered = objectsSince;
        }
    }

    private void drop() {
        candidate = null;
        checkpoints.release();
    }

    /** Reads the recorded manifest: its chunks need not be sent again, and must not be deleted. */
    private void fetch(BackupRecord record) {
        fetching = true;
        CheckpointDownload.manifest(host.env(), prefix, key, record.checkpoint(), found -> {
            fetching = false;
            if (found instanceof Outcome.Ok<CheckpointManifest> ok) {
                use(ok.value(), record.checkpoint());
            } else if (found.error().code() == ErrorCode.CORRUPT) {
                LOG.warn("{}: checkpoint in durable storage is damaged, the next upload sends all chunks", key);
                forgetStored(record);
            } else {
                trouble.failed(STEP, host.env().clock().nanos(), found.error());
                retryLater();
            }
        });
    }

    private void upload(Checkpoints.Hold hold) {
        if (generation.isEmpty()) {
            generation = BackupPaths.generation(epoch, host.env().ids().next());
        }
        CheckpointUpload next =
                new CheckpointUpload(host.env(), prefix, key, checkpoints, hold, generation, present, outcome -> {
                    upload = null;
                    drop();
                    if (outcome instanceof Outcome.Ok<CheckpointUpload.Uploaded> ok) {
                        pending = ok.value();
                        trouble.worked(STEP);
                    } else {
                        notUploaded(hold, outcome.error());
                    }
                });
        upload = next;
        next.run();
    }

    private void notUploaded(Checkpoints.Hold hold, UniserveException error) {
        LOG.warn("{}: checkpoint {} cannot be backed up, will be retried: {}", key, hold.name, error.getMessage());
        trouble.failed(STEP, host.env().clock().nanos(), error);
        if (error.code() == ErrorCode.CORRUPT && hold.name.equals(checkpoints.newest())) {
            checkpoints.doubt(); // the engine still has its contents, so the next checkpoint is intact
        }
        retryLater();
    }

    private void sweep(CheckpointManifest kept) {
        BackupCleaner next = new BackupCleaner(host.env(), host.config().clusterId(), key, whole -> {
            sweep = null;
            sweepDue = !whole;
            if (!whole) {
                retryLater();
            }
        });
        sweep = next;
        next.run(kept, manifestKey, epoch);
    }

    private void retryLater() {
        retryAt = host.env().clock().nanos() + RETRY_INTERVALS * host.config().shippingNanos();
    }

    /** True while objects are being deleted. */
    boolean sweeping() {
        return sweep != null;
    }

    /** Schedules a deletion, as objects that a deleted backup had pinned may be unused. */
    void sweepAgain() {
        sweepDue = true;
    }

    void close() {
        closed = true;
        if (upload != null) {
            upload.cancel();
        }
        if (sweep != null) {
            sweep.cancel();
        }
        drop();
    }
}
