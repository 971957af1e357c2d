package io.uniserve.protocol.backup.restore;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.LogListener;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.storage.OpenReplicaFiles;
import io.uniserve.protocol.replica.storage.PersistentState;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Creation of a replica from durable storage. It moves the old files to quarantine, fetches the recorded checkpoint and starts a log after
 * it. In a takeover it fills the log with the shipped entries; a learner gets them from its primary.
 */
public final class ReplicaRestorer {
    private final ReplicaContext host;
    private final Environment env;
    private final ReplicaKey key;
    private final TableName table;
    private final LogListener events;
    private final Consumer<OpenReplicaFiles> opened;
    private final Completion<Done> completion;
    private @Nullable LogRestorer logRestorer;
    private boolean withLog = true;
    private boolean withCheckpoint = true;
    private long indexMin;
    private PersistentState state;

    /**
     * @param opened gets the new files as soon as they are open
     * @param completion called when the replica is ready, or with the error
     */
    public ReplicaRestorer(
            ReplicaContext host,
            ReplicaKey key,
            TableName table,
            LogListener events,
            Consumer<OpenReplicaFiles> opened,
            Completion<Done> completion) {
        this.host = host;
        this.env = host.env();
        this.key = key;
        this.table = table;
        this.events = events;
        this.opened = opened;
        this.completion = completion;
        this.state = PersistentState.empty(table, key);
    }

    /**
     * Configures the creation of a learner whose primary's log starts after this index. The installed epoch is retained, as it is a
     * promise.
     */
    public void configureLearner(long primaryBase, long installed) {
        withLog = false;
        withCheckpoint = primaryBase > 0;
        indexMin = primaryBase;
        state = state.withInstalledEpoch(installed);
    }

    /** Moves a replica's files, if there are any, to quarantine for inspection. */
    public static void quarantine(ReplicaContext host, ReplicaKey key, Completion<Done> completion) {
        host.env().disk().list(key.toString(), listed -> {
            if (listed instanceof Outcome.Err<List<Disk.Entry>> err) {
                completion.done(Outcome.err(err.error()));
            } else if (listed.value().isEmpty()) {
                completion.done(Outcome.ok(Done.DONE));
            } else {
                String place = "quarantine/" + key + "-"
                        + Long.toHexString(host.env().ids().next());
                host.env().disk().move(key.toString(), place, completion);
            }
        });
    }

    /** Starts. The old engine and log must be closed. */
    public void run(boolean keepOldFiles) {
        Completion<Done> cleared = done -> env.disk().list(key.toString(), left -> {
            if (left instanceof Outcome.Ok<List<Disk.Entry>> ok && ok.value().isEmpty()) {
                readRecord();
            } else {
                fail(ErrorCode.IO, "the old files cannot be moved or deleted");
            }
        });
        if (keepOldFiles) {
            quarantine(host, key, cleared);
        } else {
            env.disk().delete(key.toString(), cleared);
        }
    }

    private void readRecord() {
        BackupRecordReader.find(env, table, key, completion.then(found -> fetchCheckpoint(found.orElse(null))));
    }

    private void fetchCheckpoint(@Nullable BackupRecord record) {
        long due = record == null ? 0 : record.shippedIndex();
        if (!withCheckpoint || record == null || record.checkpoint().isEmpty()) {
            if (indexMin > 0) {
                fail(
                        ErrorCode.CORRUPT,
                        "durable storage has no checkpoint, and the primary's log starts after " + indexMin);
            } else {
                open(due);
            }
            return;
        }
        if (record.checkpointIndex() < indexMin) {
            fail(
                    ErrorCode.CORRUPT,
                    "the checkpoint in durable storage has index " + record.checkpointIndex()
                            + ", and the primary's log starts after " + indexMin);
            return;
        }
        String prefix = BackupPaths.checkpointPrefix(host.config().clusterId(), key);
        new CheckpointDownload(env, prefix, key, completion.then(fetched -> {
                    state = state.startingAfter(fetched.index(), fetched.epoch());
                    open(due);
                }))
                .run(record.checkpoint(), record.checkpointIndex());
    }

    /** Opens the new files. The state file is written first, because a log without it counts as damaged. */
    private void open(long due) {
        env.disk().replace(key + "/state", state.encode(), written -> {
            if (written instanceof Outcome.Err<Done>) {
                completion.done(written);
            } else {
                OpenReplicaFiles.open(
                        env.disk(), key, table, host.config().log(), events, fresh -> fillLog(fresh, due));
            }
        });
    }

    private void fillLog(Outcome<OpenReplicaFiles> fresh, long due) {
        if (!(fresh instanceof Outcome.Ok<OpenReplicaFiles> ok)) {
            completion.done(Outcome.err(fresh.error()));
            return;
        }
        opened.accept(ok.value());
        if (!withLog) {
            completion.done(Outcome.ok(Done.DONE));
            return;
        }
        LogRestorer next =
                new LogRestorer(env, host.config().clusterId(), key, ok.value().log(), completion);
        logRestorer = next;
        next.run(due);
    }

    private void fail(ErrorCode code, String why) {
        completion.done(Outcome.err(new UniserveException(code, why)));
    }

    /** Handles a completed write of the log. */
    public void onDurable() {
        if (logRestorer != null) {
            logRestorer.onDurable();
        }
    }

    public void onAppendFailed(UniserveException error) {
        if (logRestorer != null) {
            logRestorer.failed(error);
        }
    }
}
