package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;

/**
 * Where an actor's part of a backup lies in durable storage.
 *
 * @param backup the backup's id, 16 hexadecimal digits
 * @param sha256 of the object
 */
public record SnapshotPin(String cluster, ReplicaKey key, String backup, String sha256) {
    public SnapshotPin {
        if (!cluster.matches("[a-z0-9-]{1,64}")
                || !backup.matches("[0-9a-f]{16}")
                || !sha256.matches("[0-9a-f]{64}")
                || key.tableId() < 0
                || key.actor() < 0) {
            throw UniserveException.invalid("not the name of an actor's part of a backup");
        }
    }

    String path() {
        return BackupPaths.pin(cluster, key, backup, sha256);
    }

    /** Fetches and checks the part; CORRUPT where it is not the one named, IO where it is absent. */
    void fetch(ObjectStore objects, Completion<ActorSnapshot> completion) {
        objects.get(path(), completion.then(got -> {
            ActorSnapshot part;
            try {
                part = ActorSnapshot.decode(got, sha256, cluster, key);
            } catch (UniserveException e) {
                completion.done(Outcome.err(new UniserveException(ErrorCode.CORRUPT, path() + ": " + e.reason(), e)));
                return;
            }
            completion.done(Outcome.ok(part));
        }));
    }
}
