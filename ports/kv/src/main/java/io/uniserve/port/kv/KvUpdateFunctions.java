package io.uniserve.port.kv;

import io.uniserve.api.Document;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Update functions of the key-value port. */
public final class KvUpdateFunctions {
    /** Stores documents, replacing those with the same key. */
    public static final KvUpdate PUT = update("kv.put@1", KvUpdateFunctions::checkKey, KvActor::put);

    /** Deletes documents by key; other fields are ignored. */
    public static final KvUpdate DELETE =
            update("kv.delete@1", KvUpdateFunctions::checkKey, (actor, row) -> actor.remove(KvActor.keyOf(row)));

    /** Appends field {@code value} to the list in field {@code values} of the document with this key, which is created if absent. */
    public static final KvUpdate APPEND =
            update("kv.append@1", KvUpdateFunctions::checkAppend, KvUpdateFunctions::append);

    /** Adds the whole number in field {@code amount} to that of the document with this key, which is created if absent. */
    public static final KvUpdate ADD = update("kv.add@1", KvUpdateFunctions::checkAdd, KvUpdateFunctions::add);

    /**
     * Stores field {@code put}, or deletes if it is null, provided that the document equals field {@code expect}: all its fields, with or
     * without the key; null for no document. Otherwise fails with CONFLICT.
     */
    public static final KvUpdate COMPARE_AND_SET = new KvUpdate(
            "kv.compare-and-set@1",
            CompareAndSet::check,
            (actor, row) ->
                    CompareAndSet.newDocument(row).ifPresentOrElse(actor::put, () -> actor.remove(KvActor.keyOf(row))),
            CompareAndSet::checkCondition);

    static final List<UpdateFunction<?, ?>> ALL = List.of(PUT, DELETE, APPEND, ADD, COMPARE_AND_SET);

    private KvUpdateFunctions() {}

    private static void checkKey(Document row) {
        row.partitionKey();
    }

    private static void checkAppend(Document row) {
        row.partitionKey();
        if (!(row.fields().get("value") instanceof String)) {
            throw new UniserveException(ErrorCode.INVALID_ROW, "field \"value\" of an append must be a text");
        }
    }

    private static void checkAdd(Document row) {
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
        Optional<Document> document = actor.getInUpdate(KvActor.keyOf(row));
        return document.isPresent() ? document.get().fields().get(field) : null;
    }

    private static Document with(KvActor actor, Document row, String field, Object value) {
        Optional<Document> old = actor.getInUpdate(KvActor.keyOf(row));
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        if (old.isPresent()) {
            fields.putAll(old.get().fields());
        } else {
            fields.put(row.keyField(), row.fields().get(row.keyField()));
        }
        fields.put(field, value);
        return new Document(row.keyField(), fields);
    }

    private static KvUpdate update(String id, Consumer<Document> check, BiConsumer<KvActor, Document> step) {
        return new KvUpdate(id, check, step, null);
    }
}
