package io.uniserve.port.duckdb;

import io.uniserve.api.Document;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateFunction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The update functions of the DuckDB port. */
public final class DuckUpdates {
    /** Stores rows, replacing those with the same primary columns. */
    public static final EventualUpdate<DuckActor, Document> PUT = EventualUpdate.of(
            "duckdb.put@1",
            DuckActor.class,
            Document.CODEC,
            (actor, rows) -> rows.forEach(row -> {
                row.partitionKey();
                actor.columns().values(row);
            }),
            (actor, rows) -> actor.put(last(actor, rows)));

    /** Deletes rows by their primary columns; other fields are ignored. */
    public static final EventualUpdate<DuckActor, Document> DELETE = EventualUpdate.of(
            "duckdb.delete@1",
            DuckActor.class,
            Document.CODEC,
            (actor, rows) -> rows.forEach(row -> {
                row.partitionKey();
                actor.columns().key(row);
            }),
            (actor, rows) -> actor.delete(keys(actor, rows)));

    static final List<UpdateFunction<?, ?>> ALL = List.of(PUT, DELETE);

    private DuckUpdates() {}

    /** Of rows with the same key the last one. */
    private static Collection<List<@Nullable Object>> last(DuckActor actor, List<Document> rows) {
        Map<List<Object>, List<@Nullable Object>> last = new LinkedHashMap<>();
        rows.forEach(row -> last.put(actor.columns().key(row), actor.columns().values(row)));
        return last.values();
    }

    /** Rows of which only the key is there. */
    private static Collection<List<@Nullable Object>> keys(DuckActor actor, List<Document> rows) {
        Map<List<Object>, List<@Nullable Object>> keys = new LinkedHashMap<>();
        for (Document row : rows) {
            List<Object> key = actor.columns().key(row);
            List<@Nullable Object> values = new ArrayList<>();
            int next = 0;
            for (String name : actor.columns().names()) {
                values.add(actor.columns().primary().contains(name) ? key.get(next++) : null);
            }
            keys.put(key, values);
        }
        return keys.values();
    }
}
