package io.uniserve.sql.engine;

import io.uniserve.api.Document;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateFunction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Update functions of a port whose actors store rows: {@code PORT.put@1} and {@code PORT.delete@1}. */
public final class RowUpdateFunctions {
    private RowUpdateFunctions() {}

    /** Returns both functions. */
    public static <A extends RowActor> List<UpdateFunction<?, ?>> of(String port, Class<A> actor) {
        return List.of(put(port, actor), delete(port, actor));
    }

    /** Stores rows, replacing those with the same primary columns. */
    private static <A extends RowActor> UpdateFunction<?, ?> put(String port, Class<A> actors) {
        return EventualUpdate.of(
                port + ".put@1",
                actors,
                Document.CODEC,
                (actor, rows) -> rows.forEach(row -> {
                    row.partitionKey();
                    actor.check(actor.columns().values(row));
                }),
                (actor, rows) -> actor.put(last(actor, rows)));
    }

    /** Deletes rows by their primary columns; other fields are ignored. */
    private static <A extends RowActor> UpdateFunction<?, ?> delete(String port, Class<A> actors) {
        return EventualUpdate.of(
                port + ".delete@1",
                actors,
                Document.CODEC,
                (actor, rows) -> rows.forEach(row -> {
                    row.partitionKey();
                    actor.columns().keyValues(row);
                }),
                (actor, rows) -> actor.delete(keys(actor, rows)));
    }

    /** Returns the last row per key. */
    private static Collection<List<@Nullable Object>> last(RowActor actor, List<Document> rows) {
        Map<List<Object>, List<@Nullable Object>> last = new LinkedHashMap<>(rows.size() * 2);
        for (Document row : rows) {
            List<@Nullable Object> values = actor.columns().values(row);
            last.put(actor.columns().keyValues(values), values);
        }
        return last.values();
    }

    /** Returns rows that have only the key's values. */
    private static Collection<List<@Nullable Object>> keys(RowActor actor, List<Document> rows) {
        Map<List<Object>, List<@Nullable Object>> keys = new LinkedHashMap<>();
        for (Document row : rows) {
            List<Object> key = actor.columns().keyValues(row);
            List<@Nullable Object> values = new ArrayList<>();
            int next = 0;
            for (String name : actor.columns().names()) {
                values.add(actor.columns().primaryKey().contains(name) ? key.get(next++) : null);
            }
            keys.put(key, values);
        }
        return keys.values();
    }
}
