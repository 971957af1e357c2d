package io.uniserve.simulator.workload;

import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Keys of test documents with a known actor. Each document has a list of the markers appended to it, and possibly an amount. Every actor
 * has several lists, with consecutive numbers, so that lists stay short in long histories.
 */
public final class ActorKeys {
    /** The field that is the partition key. */
    public static final String KEY_FIELD = "id";

    /** The field with the amount of a row. */
    public static final String AMOUNT_FIELD = "amount";

    /** Lists per actor. */
    public static final int LISTS_PER_ACTOR = 4;

    private final int actors;
    private final List<String> keys = new ArrayList<>();
    private final Map<String, Integer> numbers = new TreeMap<>();

    public ActorKeys(Partitioner partitioner) {
        actors = partitioner.actors();
        for (int list = 0; list < actors * LISTS_PER_ACTOR; list++) {
            int attempt = 0;
            while (partitioner.actorOf(PartitionKey.of("list-" + list + "-" + attempt)) != actorOf(list)) {
                attempt++;
            }
            keys.add("list-" + list + "-" + attempt);
            numbers.put(keys.get(list), list);
        }
    }

    /** Number of actors. */
    public int count() {
        return actors;
    }

    /** The actor of the list. */
    public static int actorOf(int list) {
        return list / LISTS_PER_ACTOR;
    }

    /**
     * The number of one of the actor's lists.
     *
     * @param which 0 to LISTS_PER_ACTOR - 1
     */
    public static int list(int actor, int which) {
        return actor * LISTS_PER_ACTOR + which;
    }

    /** The list's key. */
    public String key(int list) {
        return keys.get(list);
    }

    /** The number of the list with this key. */
    public int number(String key) {
        Integer number = numbers.get(key);
        if (number == null) {
            throw new IllegalStateException("unexpected key " + key);
        }
        return number;
    }

    /** The rows that append the marker to the list. */
    public Bytes append(int list, String marker) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put(KEY_FIELD, key(list));
        fields.put("value", marker);
        return Codecs.list(Document.CODEC).encode(List.of(new Document(KEY_FIELD, fields)));
    }

    /** The rows that change amounts of the actor, by the number of the list. Lists of other actors are ignored. */
    public Bytes add(int actor, SortedMap<Integer, Long> changes) {
        List<Document> rows = new ArrayList<>();
        changes.forEach((list, change) -> {
            if (actorOf(list) == actor) {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                fields.put(KEY_FIELD, key(list));
                fields.put(AMOUNT_FIELD, change);
                rows.add(new Document(KEY_FIELD, fields));
            }
        });
        return Codecs.list(Document.CODEC).encode(rows);
    }

    /** The rows that delete all lists of the actor. */
    public Bytes delete(int actor) {
        List<Document> rows = new ArrayList<>();
        for (int which = 0; which < LISTS_PER_ACTOR; which++) {
            rows.add(new Document(KEY_FIELD, Map.of(KEY_FIELD, key(list(actor, which)))));
        }
        return Codecs.list(Document.CODEC).encode(rows);
    }

    /** The lists in these documents, by number. */
    public Map<Integer, List<String>> lists(List<Document> documents) {
        Map<Integer, List<String>> lists = new TreeMap<>();
        for (Document document : documents) {
            if (document.fields().get("values") instanceof List<?> values) {
                lists.put(number(document), values.stream().map(String::valueOf).toList());
            } else if (!document.fields().containsKey(AMOUNT_FIELD)) {
                throw new IllegalStateException("unexpected document " + document);
            }
        }
        return lists;
    }

    /** The amounts in these documents, by the number of the list. */
    public Map<Integer, Long> amounts(List<Document> documents) {
        Map<Integer, Long> amounts = new TreeMap<>();
        for (Document document : documents) {
            if (document.fields().get(AMOUNT_FIELD) instanceof Long amount) {
                amounts.put(number(document), amount);
            }
        }
        return amounts;
    }

    private int number(Document document) {
        return number(String.valueOf(document.fields().get(KEY_FIELD)));
    }
}
