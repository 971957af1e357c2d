package io.uniserve.protocol.coordinator;

import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.model.Tombstone;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Tombstones of tables in the registry. Each is written in the same write as the end of its table. Those of the lowest numbers
 * go when there are too many: what is left of such a table is then unknown, and goes to servers' trash.
 */
final class Tombstones {
    private static final int DELETES_PER_WRITE = 256;

    private Tombstones() {}

    /** Records the end of a number. */
    static Op create(long tableId, TableName name, Tombstone.Reason reason) {
        return new Op.Create(RegistryPaths.tombstone(tableId), new Tombstone(tableId, name, reason), false);
    }

    /** Takes the record of a restoration back: the table is there. */
    static Op delete(long tableId) {
        return new Op.Delete(RegistryPaths.tombstone(tableId), 0); // never changed, so that its version is the first
    }

    /** Whether the number has one. */
    static void find(FencedRegistry registry, long tableId, Completion<Boolean> completion) {
        registry.read(
                RegistryPaths.tombstone(tableId),
                (Outcome<Versioned> read) -> completion.done(read.map(node -> node.version() != Registry.ABSENT)));
    }

    /** Deletes those beyond the limit; the next end of a table tries again what is not done. */
    static void trim(FencedRegistry registry) {
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
