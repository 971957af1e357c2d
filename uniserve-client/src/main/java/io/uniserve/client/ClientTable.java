package io.uniserve.client;

import io.uniserve.api.Document;
import io.uniserve.api.Row;
import io.uniserve.codec.Codec;
import io.uniserve.model.AckLevel;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.ReadMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A table as this client sees it; made without asking anybody, so it may not exist. Immutable; safe for use by several threads. */
public final class ClientTable {
    private final ClientCore core;
    private final TableName name;

    ClientTable(ClientCore core, TableName name) {
        this.core = core;
        this.name = name;
    }

    /** The table's name. */
    public String name() {
        return name.value();
    }

    /** All actors. */
    public ActorSelection all() {
        return selection(Optional.empty());
    }

    /**
     * Opens a session: queries that see one state of the table, that of now, for so long at most; more than 0, at most an hour.
     * Blocks, with the client's deadline. Fails with UNSUPPORTED where the table's engine holds no states.
     */
    public QuerySession session(Duration time) {
        return QuerySession.open(core, name, time);
    }

    /** These actors, by number; an empty selection gives an empty answer. */
    public ActorSelection actors(Collection<Integer> actors) {
        List<Integer> distinct = List.copyOf(new TreeSet<>(actors));
        return selection(Optional.of(partitioner -> distinct));
    }

    /** The actors that hold these keys. The operator still needs the keys as its parameters. */
    public ActorSelection keys(Collection<? extends PartitionKey> keys) {
        List<PartitionKey> copy = List.copyOf(keys);
        return selection(Optional.of(partitioner -> {
            TreeSet<Integer> actors = new TreeSet<>();
            copy.forEach(key -> actors.add(partitioner.actorOf(known(key))));
            return List.copyOf(actors);
        }));
    }

    /** The actor that holds this text key. */
    public ActorSelection key(String key) {
        return selection(PartitionKey.of(key));
    }

    /** The actor that holds this number key. */
    public ActorSelection key(long key) {
        return selection(PartitionKey.of(key));
    }

    /**
     * An update of rows.
     *
     * @param function {@code name@version}
     * @param codec the codec of the update function's rows
     */
    public <R extends Row> TableUpdate<R> update(String function, Codec<R> codec, Iterable<? extends R> rows) {
        return update(function, codec, (TableMeta meta) -> rows);
    }

    /**
     * An update of documents, whose key is the table's key field.
     *
     * @param fields of each document: null, String, Long, Double, Boolean, or lists and maps of these; in the map's order, or in
     *     that of their names where {@link Document} says so
     */
    public TableUpdate<Document> updateDocuments(
            String function, Collection<? extends Map<String, ? extends @Nullable Object>> fields) {
        return update(function, Document.CODEC, (TableMeta meta) -> documents(meta.keyField(), fields));
    }

    private static List<Document> documents(
            String keyField, Collection<? extends Map<String, ? extends @Nullable Object>> fields) {
        List<Document> documents = new ArrayList<>(fields.size());
        for (Map<String, ? extends @Nullable Object> one : fields) {
            documents.add(new Document(keyField, readable(one)));
        }
        return documents;
    }

    /** As it is, not copied: a document tells from the kind of map whether its order means anything. */
    @SuppressWarnings("unchecked") // of what it reads only, all values are objects or null
    private static Map<String, @Nullable Object> readable(Map<String, ? extends @Nullable Object> fields) {
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
        return selection(Optional.of(partitioner -> List.of(partitioner.actorOf(known(key)))));
    }

    /** A number is the text that it is written as, where the port's keys are texts. */
    private PartitionKey known(PartitionKey key) {
        return key instanceof PartitionKey.Number number && core.index().keysAreTexts(name)
                ? PartitionKey.of(String.valueOf(number.value()))
                : key;
    }

    private ActorSelection selection(Optional<Function<io.uniserve.model.Partitioner, List<Integer>>> chosen) {
        return new ActorSelection(
                core, name, chosen, ReadMode.LINEARIZABLE, core.options().queryDeadline());
    }
}
