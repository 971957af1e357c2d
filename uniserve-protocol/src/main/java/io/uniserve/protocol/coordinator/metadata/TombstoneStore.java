package io.uniserve.protocol.coordinator.metadata;

import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Tombstone;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.election.FencedRegistry;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Tombstones of tables in ZooKeeper. Each is written in the multi that ends its table. Beyond the limit the ones with the lowest numbers
 * are deleted. A server then moves a remaining replica of such a table to its trash, as a replica of an unknown table.
 */
public final class TombstoneStore {
    private static final int DELETES_PER_WRITE = 256;

    private TombstoneStore() {}

    /** Creates the tombstone of a number. */
    public static Op create(long tableId, TableName name, Tombstone.Reason reason) {
        return new Op.Create(RegistryPaths.tombstone(tableId), new Tombstone(tableId, name, reason), false);
    }

    /** Deletes the tombstone of a restoration, which has ended with an existing table. */
    public static Op delete(long tableId) {
        return new Op.Delete(RegistryPaths.tombstone(tableId), 0); // a tombstone is never changed, so its version is 0
    }

    /** Whether the number has a tombstone. */
    public static void find(FencedRegistry registry, long tableId, Completion<Boolean> completion) {
        registry.read(
                RegistryPaths.tombstone(tableId),
                (Outcome<Versioned> read) -> completion.done(read.map(node -> node.version() != Registry.ABSENT)));
    }

    /** Deletes tombstones beyond the limit. A failure is retried at the end of the next table. */
    public static void trim(FencedRegistry registry) {
        registry.children(RegistryPaths.TOMBSTONES, listed -> {
            if (!(listed instanceof Outcome.Ok<List<String>> ok) || ok.value().size() <= Limits.TOMBSTONES_MAX) {
                return;
            }
            TreeSet<Long> numbers = new TreeSet<>();
            ok.value().stream()
                    .filter(name -> name.matches("\\d{1,18}"))
                    .forEach(name -> numbers.add(Long.parseLong(name)));
            List<Op> ops = new ArrayList<>();
            numbers.stream()
                    .limit(Math.min(DELETES_PER_WRITE, Math.max(0, numbers.size() - Limits.TOMBSTONES_MAX)))
                    .forEach(number -> ops.add(delete(number)));
            if (!ops.isEmpty()) {
                registry.write(ops, written -> {});
            }
        });
    }
}
