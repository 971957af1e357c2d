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
 * The checkpoint half of a backup, for the primary of one epoch: uploads a checkpoint when the log shipped since the last one
 * is worth it, hands it over to be recorded, and, once a record of this primary's own making names it, sweeps what the record
 * no longer needs. Uploads and sweeps take turns.
 */
final class CheckpointShipper {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointShipper.class);

    /** So much of the checkpoint's size must have been shipped as log since: bounds uploads by a multiple of the log. */
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

    /** @param others tells when a checkpoint may be stored; null where that does not depend on other actors */
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

    /** A checkpoint that waits to be recorded; null for none. */
    CheckpointUpload.@Nullable Uploaded pending() {
        return pending;
    }

    /** A run of the log was shipped. Too many small ones make a takeover slow: a checkpoint replaces them. */
    void shipped(long bytes) {
        bytesSince += bytes;
        objectsSince++;
        if (objectsSince % Limits.BACKUP_LOG_OBJECTS_MAX == 0) {
            bytesDue = 0;
            checkpoints.want();
        }
    }

    /** The log can be given to nobody up to this entry: the next checkpoint is needed in its place. */
    void wantBeyond(long index) {
        bytesDue = 0;
        Checkpoints.Name newest = checkpoints.newest();
        if (newest == null || newest.index() < index) {
            checkpoints.want();
        }
    }

    /** This record, which this primary wrote, is in force. */
    void recorded(BackupRecord record) {
        CheckpointUpload.Uploaded made = pending;
        if (made == null || !made.manifestKey().equals(record.checkpoint())) {
            return;
        }
        LOG.info(
                "{}: checkpoint of index {} is backed up, {} of {} bytes were new",
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

    /** New chunks go into a generation of their own from here on: old ones may be swept. */
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

    /** True when a checkpoint of this index should take the place of the one that the record names. */
    boolean betters(long index, BackupRecord record) {
        boolean again = index == record.checkpointIndex() && record.checkpoint().equals(damagedKey);
        return index > record.checkpointIndex() || again && !damagedKey.isEmpty();
    }

    /** What the record names is damaged in durable storage: a checkpoint from here is sent whole, though it be no newer. */
    void renew(BackupRecord record) {
        if (closed
                || fetching
                || upload != null
                || pending != null
                || sweep != null
                || record.checkpoint().equals(damagedKey)) {
            return;
        }
        LOG.warn("{}: the checkpoint in durable storage is damaged: one from here takes its place", key);
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
     * Time passes.
     *
     * @param record what the registry holds
     * @param own true when this primary wrote it
     * @param shipped last index in durable storage
     * @param learning true while somebody may read the checkpoint that the record or the one before names
     */
    void tick(long now, BackupRecord record, boolean own, long shipped, boolean learning) {
        if (closed || fetching || upload != null || sweep != null || now - retryAt < 0) {
            return;
        }
        CheckpointUpload.Uploaded made = pending;
        if (made != null && made.manifestKey().equals(record.checkpoint())) {
            recorded(record); // the write's answer was lost
        } else if (made != null && !betters(made.manifest().index(), record)) {
            pending = null;
        }
        choose(record);
        if (candidate == null && pending == null) {
            trouble.worked(STEP); // none is wanted any more
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

    /** Reads the manifest that the record names: its chunks need not be sent again, and may not be swept. */
    private void fetch(BackupRecord record) {
        fetching = true;
        CheckpointDownload.manifest(host.env(), prefix, key, record.checkpoint(), found -> {
            fetching = false;
            if (found instanceof Outcome.Ok<CheckpointManifest> ok) {
                use(ok.value(), record.checkpoint());
            } else if (found.error().code() == ErrorCode.CORRUPT) {
                LOG.warn("{}: the checkpoint in durable storage is damaged: the next one is uploaded whole", key);
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
        LOG.warn("{}: checkpoint {} cannot be backed up, is tried again: {}", key, hold.name, error.getMessage());
        trouble.failed(STEP, host.env().clock().nanos(), error);
        if (error.code() == ErrorCode.CORRUPT && hold.name.equals(checkpoints.newest())) {
            checkpoints.doubt(); // the engine has what it held: the next one is whole
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

    /** A backup of the table was deleted: what it had pinned may be superfluous. */
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
