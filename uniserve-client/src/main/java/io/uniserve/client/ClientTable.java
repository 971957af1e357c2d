package io.uniserve.client;

import io.uniserve.api.Document;
import io.uniserve.api.Row;
import io.uniserve.codec.Codec;
import io.uniserve.model.AckLevel;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.message.client.ReadMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Handle of a table. Creating it sends no request, so the table may not exist. Immutable and thread-safe.
 *
 * <pre>{@code
 * ClientTable visits = client.table("visits");
 * visits.updateDocuments("kv.put@1", List.of(Map.of("id", "home", "hits", 3L))).run().orThrow();
 * Answer home = visits.key("home").query("get home");
 * }</pre>
 */
public final class ClientTable {
    private final ClientCore core;
    private final TableName name;

    ClientTable(ClientCore core, TableName name) {
        this.core = core;
        this.name = name;
    }

    /** Name of the table. */
    public String name() {
        return name.value();
    }

    /** Selects all actors. */
    public ActorSelection all() {
        return selection(Optional.empty());
    }

    /**
     * Opens a session: queries that read one state of the table, the present one, for at most this time; more than 0, at most an
     * hour. Blocks, with the client's deadline. Fails with UNSUPPORTED if the table's engine has no snapshots.
     */
    public QuerySession session(Duration time) {
        return QuerySession.open(core, name, time);
    }

    /** Selects actors by number. A retrieve of no actors has an empty result. */
    public ActorSelection actors(Collection<Integer> actors) {
        List<Integer> distinct = List.copyOf(new TreeSet<>(actors));
        return selection(Optional.of(route -> distinct));
    }

    /** Selects the actors of these keys; in a TIME table one actor per key and chunk, at most. The operator still needs the keys as parameters. */
    public ActorSelection keys(Collection<? extends PartitionKey> keys) {
        List<PartitionKey> copy = List.copyOf(keys);
        return selection(Optional.of(route -> {
            TreeSet<Integer> actors = new TreeSet<>();
            copy.forEach(key -> actors.addAll(route.actorsOf(toPortKey(key))));
            return List.copyOf(actors);
        }));
    }

    /** Selects the actor of this text key; in a TIME table one actor per chunk. */
    public ActorSelection key(String key) {
        return selection(PartitionKey.of(key));
    }

    /** Selects the actor of this number key; in a TIME table one actor per chunk. */
    public ActorSelection key(long key) {
        return selection(PartitionKey.of(key));
    }

    /**
     * Prepares an update of rows.
     *
     * @param function {@code name@version}
     * @param codec codec of the update function's rows
     */
    public <R extends Row> TableUpdate<R> update(String function, Codec<R> codec, Iterable<? extends R> rows) {
        return update(function, codec, (TableMeta meta) -> rows);
    }

    /**
     * Prepares an update of documents; their key is the table's key field.
     *
     * @param fields fields of each document: null, String, Long, Double, Boolean, or lists and maps of these. The order is that
     *     of the map, or that of the names, see {@link Document}
     */
    public TableUpdate<Document> updateDocuments(
            String function, Collection<? extends Map<String, ? extends @Nullable Object>> fields) {
        return update(function, Document.CODEC, (TableMeta meta) -> documents(meta.keyField(), fields));
    }

    private static List<Document> documents(
            String keyField, Collection<? extends Map<String, ? extends @Nullable Object>> fields) {
        List<Document> documents = new ArrayList<>(fields.size());
        for (Map<String, ? extends @Nullable Object> one : fields) {
            documents.add(new Document(keyField, checkFields(one)));
        }
        return documents;
    }

    /** Not copied: the kind of map determines whether the order of fields matters. */
    @SuppressWarnings("unchecked") // for reading only: all values are objects or null
    private static Map<String, @Nullable Object> checkFields(Map<String, ? extends @Nullable Object> fields) {
        return (Map<String, @Nullable Object>) fields;
    }

    private <R extends Row> TableUpdate<R> update(
            String function, Codec<R> codec, Function<TableMeta, Iterable<? extends R>> rows) {
        return new TableUpdate<>(
                core,
                name,
                function,
                codec,
                rows,
                AckLevel.ISR,
                Optional.empty(),
                core.options().updateDeadline(),
                false);
    }

    private ActorSelection selection(PartitionKey key) {
        return selection(Optional.of(route -> route.actorsOf(toPortKey(key))));
    }

    /** Converts a number key to text if the port's keys are texts. */
    private PartitionKey toPortKey(PartitionKey key) {
        return key instanceof PartitionKey.Number number && core.index().hasTextKeys(name)
                ? PartitionKey.of(String.valueOf(number.value()))
                : key;
    }

    /**
     * Selects the chunks of a TIME table that overlap an interval. A chunk may have rows outside of the interval, so the query must name the
     * interval too. If no chunk overlaps it, a retrieve combines no values. Fails with INVALID_ARGUMENT for other tables.
     *
     * @param fromMillis start, inclusive, in milliseconds since 1970
     * @param toMillis end, exclusive
     */
    public ActorSelection between(long fromMillis, long toMillis) {
        return selection(Optional.of(route -> route.actorsBetween(fromMillis, toMillis)));
    }

    private ActorSelection selection(Optional<Function<TableRoute, List<Integer>>> chosen) {
        return new ActorSelection(
                core, name, chosen, ReadMode.LINEARIZABLE, core.options().queryDeadline());
    }
}
