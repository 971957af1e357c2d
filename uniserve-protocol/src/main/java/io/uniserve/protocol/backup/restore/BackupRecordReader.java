package io.uniserve.protocol.backup.restore;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.Optional;

/** Reader of an actor's backup record. It reads after a sync, so the record is current. */
final class BackupRecordReader {
    private BackupRecordReader() {}

    /** Empty if the actor has no record. */
    static void find(Environment env, TableName table, ReplicaKey key, Completion<Optional<BackupRecord>> completion) {
        env.registry()
                .sync(synced -> env.registry().read(RegistryPaths.backup(table, key), read -> {
                    if (synced instanceof Outcome.Err<Done> err) {
                        completion.done(Outcome.err(err.error()));
                    } else if (read instanceof Outcome.Ok<Versioned> ok) {
                        completion.done(Outcome.ok(
                                ok.value().value() instanceof BackupRecord found
                                        ? Optional.of(found)
                                        : Optional.empty()));
                    } else {
                        completion.done(Outcome.err(read.error()));
                    }
                }));
    }
}
