package io.uniserve.protocol.replica.storage;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.LogListener;
import io.uniserve.protocol.log.LogOptions;
import io.uniserve.protocol.log.ReplicaLog;

/** The open files of a replica's directory. */
public record OpenReplicaFiles(StateFile file, ReplicaLog log, CheckpointStore checkpoints) {

    /** Opens the directory. If it is absent, everything is empty, in the name of this table. */
    public static void open(
            Disk disk,
            ReplicaKey key,
            TableName table,
            LogOptions options,
            LogListener listener,
            Completion<OpenReplicaFiles> completion) {
        String directory = key.toString();
        disk.list(directory, completion.then(entries -> {
            if (entries.stream().anyMatch(e -> e.name().equals("state"))) {
                disk.read(
                        directory + "/state", read -> withState(disk, table, key, read, options, listener, completion));
            } else if (entries.stream().anyMatch(e -> e.name().equals("log/"))) {
                completion.done(Outcome.err(
                        new UniserveException(ErrorCode.CORRUPT, directory + ": the state file is missing")));
            } else {
                log(disk, directory, PersistentState.empty(table, key), options, listener, completion);
            }
        }));
    }

    private static void withState(
            Disk disk,
            TableName table,
            ReplicaKey key,
            Outcome<Bytes> read,
            LogOptions options,
            LogListener listener,
            Completion<OpenReplicaFiles> completion) {
        if (read instanceof Outcome.Err<Bytes> err) {
            completion.done(Outcome.err(err.error()));
            return;
        }
        String directory = key.toString();
        PersistentState state;
        try {
            state = PersistentState.decode(read.value());
            if (!state.table().equals(table) || !state.key().equals(key)) {
                throw new UniserveException(
                        ErrorCode.CORRUPT,
                        "it belongs to " + state.key() + " of table " + state.table()
                                + ", but the table of that number is " + table);
            }
        } catch (UniserveException e) {
            completion.done(
                    Outcome.err(new UniserveException(ErrorCode.CORRUPT, directory + "/state: " + e.reason(), e)));
            return;
        }
        log(disk, directory, state, options, listener, completion);
    }

    private static void log(
            Disk disk,
            String directory,
            PersistentState state,
            LogOptions options,
            LogListener listener,
            Completion<OpenReplicaFiles> completion) {
        StateFile file = new StateFile(disk, directory, state);
        ReplicaLog.open(
                disk,
                directory,
                state.baseIndex(),
                state.baseEpoch(),
                state.baseHash(),
                state.synced(),
                options,
                listener,
                opened -> {
                    if (opened instanceof Outcome.Ok<ReplicaLog> ok) {
                        CheckpointStore checkpoints = new CheckpointStore(disk, directory, ok.value()::baseIndex);
                        completion.done(Outcome.ok(new OpenReplicaFiles(file, ok.value(), checkpoints)));
                    } else {
                        completion.done(Outcome.err(opened.error()));
                    }
                });
    }
}
