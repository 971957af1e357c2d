package io.uniserve.protocol.backup.restore;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.CheckpointManifest;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.replica.storage.CheckpointSource;
import io.uniserve.protocol.replica.storage.CheckpointStore;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Source of the backed-up checkpoint for a replica with an intact log and no intact checkpoint at its start. With its own log after the
 * checkpoint the replica is complete, even if the shipped log is not.
 */
public final class RemoteCheckpointSource implements CheckpointSource {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteCheckpointSource.class);

    private final Environment env;
    private final String clusterId;
    private final ReplicaKey key;
    private final TableName table;
    private final ReplicaLog log;
    private final CheckpointStore checkpoints;

    public RemoteCheckpointSource(
            Environment env,
            String clusterId,
            ReplicaKey key,
            TableName table,
            ReplicaLog log,
            CheckpointStore checkpoints) {
        this.env = env;
        this.clusterId = clusterId;
        this.key = key;
        this.table = table;
        this.log = log;
        this.checkpoints = checkpoints;
    }

    @Override
    public void fetch(Completion<CheckpointStore.Name> completion) {
        BackupRecordReader.find(env, table, key, completion.then(found -> downloadRecorded(found, completion)));
    }

    private void downloadRecorded(Optional<BackupRecord> record, Completion<CheckpointStore.Name> completion) {
        if (record.isEmpty() || record.get().checkpoint().isEmpty()) {
            fail("durable storage has no checkpoint", completion);
            return;
        }
        long index = record.get().checkpointIndex();
        if (index < log.baseIndex() || index > log.durableIndex()) {
            fail("the checkpoint in durable storage has index " + index, completion);
            return;
        }
        CheckpointStore.Name place = new CheckpointStore.Name(index, log.epochAt(index));
        LOG.info("{}: fetching checkpoint {} from durable storage", key, place);
        checkpoints.delete(
                place,
                cleared -> new CheckpointDownload(
                                env,
                                BackupPaths.checkpointPrefix(clusterId, key),
                                key,
                                fetched -> onDownloaded(fetched, place, completion))
                        .run(record.get().checkpoint(), index));
    }

    private void onDownloaded(
            Outcome<CheckpointManifest> fetched,
            CheckpointStore.Name place,
            Completion<CheckpointStore.Name> completion) {
        if (fetched instanceof Outcome.Err<CheckpointManifest> err) {
            completion.done(Outcome.err(err.error()));
        } else if (fetched.value().epoch() != place.epoch()) {
            fail("the checkpoint in durable storage is of another log", completion);
        } else {
            completion.done(Outcome.ok(place));
        }
    }

    private void fail(String why, Completion<CheckpointStore.Name> completion) {
        completion.done(Outcome.err(new UniserveException(
                ErrorCode.CORRUPT,
                "no checkpoint on disk for the log, which starts after " + log.baseIndex() + ", and " + why)));
    }
}
