package io.uniserve.port.kv;

import io.uniserve.api.Document;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.codec.Codec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The update functions of the key-value port. */
public final class KvUpdates {
    /** Stores documents, replacing those with the same key. */
    public static final EventualUpdate<KvActor, Document> PUT =
            new Update("kv.put@1", KvUpdates::checkKey, KvActor::put);

    /** Deletes documents by key; other fields are ignored. */
    public static final EventualUpdate<KvActor, Document> DELETE =
            new Update("kv.delete@1", KvUpdates::checkKey, (actor, row) -> actor.remove(KvActor.keyOf(row)));

    /** Appends field {@code value} to the list in field {@code values} of the document with this key, made if absent. */
    public static final EventualUpdate<KvActor, Document> APPEND =
            new Update("kv.append@1", KvUpdates::checkAppend, KvUpdates::append);

    /** Adds the whole number in field {@code amount} to that of the document with this key, made if absent. */
    public static final EventualUpdate<KvActor, Document> ADD =
            new Update("kv.add@1", KvUpdates::checkAdd, KvUpdates::add);

    static final List<UpdateFunction<?, ?>> ALL = List.of(PUT, DELETE, APPEND, ADD);

    private KvUpdates() {}

    private static void checkKey(KvActor actor, Document row) {
        row.partitionKey();
    }

    private static void checkAppend(KvActor actor, Document row) {
        row.partitionKey();
        if (!(row.fields().get("value") instanceof String)) {
            throw new UniserveException(ErrorCode.INVALID_ROW, "field \"value\" of an append must be a text");
        }
    }

    private static void checkAdd(KvActor actor, Document row) {
        row.partitionKey();
        if (!(row.fields().get("amount") instanceof Long)) {
            throw new UniserveException(ErrorCode.INVALID_ROW, "field \"amount\" of an add must be a whole number");
        }
    }

    private static void append(KvActor actor, Document row) {
        List<@Nullable Object> values = new ArrayList<>();
        if (current(actor, row, "values") instanceof List<?> old) {
            values.addAll(old);
        }
        values.add(row.fields().get("value"));
        actor.put(with(actor, row, "values", Collections.unmodifiableList(values)));
    }

    private static void add(KvActor actor, Document row) {
        long old = current(actor, row, "amount") instanceof Long number ? number : 0;
        long more = row.fields().get("amount") instanceof Long number ? number : 0;
        actor.put(with(actor, row, "amount", old + more));
    }

    private static @Nullable Object current(KvActor actor, Document row, String field) {
        Optional<Document> document = actor.get(KvActor.keyOf(row));
        return document.isPresent() ? document.get().fields().get(field) : null;
    }

    private static Document with(KvActor actor, Document row, String field, Object value) {
        Optional<Document> old = actor.get(KvActor.keyOf(row));
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        if (old.isPresent()) {
            fields.putAll(old.get().fields());
        } else {
            fields.put(row.keyField(), row.fields().get(row.keyField()));
        }
        fields.put(field, value);
        return new Document(row.keyField(), fields);
    }

    @FunctionalInterface
    private interface RowStep {
        void run(KvActor actor, Document row);
    }

    private record Update(String id, RowStep check, RowStep step) implements EventualUpdate<KvActor, Document> {
        @Override
        public Class<KvActor> actorType() {
            return KvActor.class;
        }

        @Override
        public Codec<Document> rows() {
            return Document.CODEC;
        }

        @Override
        public void validate(KvActor actor, List<Document> rows) {
            rows.forEach(row -> check.run(actor, row));
        }

        @Override
        public void update(KvActor actor, UpdateContext context, List<Document> rows) {
            rows.forEach(row -> step.run(actor, row));
        }
    }
}
