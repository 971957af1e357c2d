package io.uniserve.protocol.replica;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.replica.storage.PersistentState;
import java.util.List;
import java.util.Optional;

/**
 * Summary of a replica from its state file, read without opening the replica.
 *
 * @param epoch the installed epoch, 0 for none
 * @param lastIndex the last log index that certainly exists
 */
public record ReplicaSummary(TableName table, ReplicaKey key, long epoch, long lastIndex) {

    /** Reads the summary; empty if the directory has no state file. Errors: CORRUPT, IO. */
    public static void read(Disk disk, String directory, Completion<Optional<ReplicaSummary>> completion) {
        disk.list(directory, listed -> {
            if (listed instanceof Outcome.Err<List<Disk.Entry>> err) {
                completion.done(Outcome.err(err.error()));
            } else if (listed.value().stream().noneMatch(entry -> entry.name().equals("state"))) {
                completion.done(Outcome.ok(Optional.empty()));
            } else {
                disk.read(directory + "/state", read -> completion.done(decoded(directory, read)));
            }
        });
    }

    private static Outcome<Optional<ReplicaSummary>> decoded(String directory, Outcome<Bytes> read) {
        if (read instanceof Outcome.Err<Bytes> err) {
            return Outcome.err(err.error());
        }
        try {
            PersistentState state = PersistentState.decode(read.value());
            return Outcome.ok(Optional.of(new ReplicaSummary(
                    state.table(), state.key(), state.installedEpoch(), Math.max(state.baseIndex(), state.synced()))));
        } catch (UniserveException e) {
            return Outcome.err(new UniserveException(ErrorCode.CORRUPT, directory + "/state: " + e.reason(), e));
        }
    }
}
