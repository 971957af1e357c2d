package io.uniserve.protocol.backup.format;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Name of the pin of an actor's part of a named backup in durable storage.
 *
 * @param backup the backup's id, 16 hexadecimal digits
 * @param sha256 hash of the object
 */
public record SnapshotPin(String cluster, ReplicaKey key, String backup, String sha256) {
    private static final Pattern NAME = Pattern.compile("([0-9a-f]{16})-([0-9a-f]{64})");

    public SnapshotPin {
        if (!cluster.matches("[a-z0-9-]{1,64}")
                || !backup.matches("[0-9a-f]{16}")
                || !sha256.matches("[0-9a-f]{64}")
                || key.tableId() < 0
                || key.actor() < 0) {
            throw UniserveException.invalid("not a valid name of an actor's part of a backup");
        }
    }

    public String path() {
        return BackupPaths.pin(cluster, key, backup, sha256);
    }

    /** Reads and checks the part; CORRUPT if it does not match its name, IO if it is absent. */
    public void fetch(ObjectStore objects, Completion<ActorSnapshot> completion) {
        objects.get(path(), completion.then(got -> {
            ActorSnapshot part;
            try {
                part = decode(got);
            } catch (UniserveException e) {
                completion.done(Outcome.err(e));
                return;
            }
            completion.done(Outcome.ok(part));
        }));
    }

    /** Checks and decodes the part; CORRUPT if it does not match its name. */
    public ActorSnapshot decode(Bytes object) {
        try {
            return ActorSnapshot.decode(object, sha256, cluster, key);
        } catch (UniserveException e) {
            throw new UniserveException(ErrorCode.CORRUPT, path() + ": " + e.reason(), e);
        }
    }

    /** All pins among the actor's objects. */
    public static List<SnapshotPin> among(List<String> keys, String clusterId, ReplicaKey key) {
        String prefix = BackupPaths.pinPrefix(clusterId, key);
        List<SnapshotPin> pins = new ArrayList<>();
        for (String name : keys) {
            Matcher pin = NAME.matcher(name.startsWith(prefix) ? name.substring(prefix.length()) : "");
            if (pin.matches()) {
                pins.add(new SnapshotPin(clusterId, key, pin.group(1), pin.group(2)));
            }
        }
        return pins;
    }
}
