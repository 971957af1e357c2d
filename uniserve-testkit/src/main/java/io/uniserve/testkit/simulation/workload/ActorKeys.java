package io.uniserve.testkit.simulation.workload;

import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One document a actor, with a key that the partitioner sends there; its list holds the markers appended to the actor. */
public final class ActorKeys {
    /** The field that is the partition key. */
    public static final String KEY_FIELD = "id";

    private final List<String> keys = new ArrayList<>();
    private final Map<String, Integer> actors = new TreeMap<>();

    public ActorKeys(Partitioner partitioner) {
        for (int actor = 0; actor < partitioner.actors(); actor++) {
            int attempt = 0;
            while (partitioner.actorOf(PartitionKey.of("list-" + actor + "-" + attempt)) != actor) {
                attempt++;
            }
            keys.add("list-" + actor + "-" + attempt);
            actors.put(keys.get(actor), actor);
        }
    }

    /** Number of actors. */
    public int count() {
        return keys.size();
    }

    /** The key of the actor's list. */
    public String key(int actor) {
        return keys.get(actor);
    }

    /** The rows that append the marker to the actor's list. */
    public Bytes append(int actor, String marker) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put(KEY_FIELD, key(actor));
        fields.put("value", marker);
        return Codecs.list(Document.CODEC).encode(List.of(new Document(KEY_FIELD, fields)));
    }

    /** The lists in these documents, by actor. */
    public Map<Integer, List<String>> lists(List<Document> documents) {
        Map<Integer, List<String>> lists = new TreeMap<>();
        for (Document document : documents) {
            Integer actor = actors.get(String.valueOf(document.fields().get(KEY_FIELD)));
            if (actor == null || !(document.fields().get("values") instanceof List<?> values)) {
                throw new IllegalStateException("unexpected document " + document);
            }
            lists.put(actor, values.stream().map(String::valueOf).toList());
        }
        return lists;
    }
}
