package io.uniserve.sql;

import io.uniserve.api.Columns;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableMeta;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Which actors can have rows with certain values of the table's key. */
final class Pruning {
    private Pruning() {}

    /**
     * Those of the actors that are asked.
     *
     * @param constants values that conditions allow for columns; other columns than the key do not matter
     */
    static Set<Integer> actors(TableMeta meta, Map<String, List<String>> constants, List<Integer> asked) {
        List<String> values = constants.get(meta.keyField());
        if (values == null) {
            return new TreeSet<>(asked);
        }
        Columns columns = Columns.of(meta);
        Set<Integer> actors = new TreeSet<>();
        for (String value : values) {
            try {
                actors.add(meta.partitioner()
                        .actorOf(columns.ofTexts(meta.keyField(), List.of(meta.keyField()), List.of(value))
                                .partitionKey()));
            } catch (UniserveException e) {
                // A value that no key can have is left to the engine to compare.
                return new TreeSet<>(asked);
            }
        }
        actors.retainAll(asked);
        // Somebody must answer, if only with no rows or a count of none.
        return actors.isEmpty() ? new TreeSet<>(asked.subList(0, 1)) : actors;
    }
}
