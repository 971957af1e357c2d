package io.uniserve.benchmark.balance;

import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Text keys of a table partitioned by hash, by actor and in order. Immutable. */
public final class HashedKeys {
    /** Multiplier that spreads consecutive numbers. */
    private static final long MIX = 0x9e3779b97f4a7c15L;

    private static final int BATCH = 500;

    private final List<List<String>> byActor = new ArrayList<>();
    private final int smallest;

    /**
     * Makes the keys {@code k0000000} to the count.
     *
     * @param least number of keys that each actor must have
     */
    public HashedKeys(int actors, int count, int least) {
        Partitioner hash = new Partitioner.Hash(actors);
        for (int actor = 0; actor < actors; actor++) {
            byActor.add(new ArrayList<>());
        }
        for (int i = 0; i < count; i++) {
            String key = "k%07d".formatted(i);
            byActor.get(hash.actorOf(PartitionKey.of(key))).add(key);
        }
        smallest = byActor.stream().mapToInt(List::size).min().orElse(0);
        if (smallest < least) {
            throw new IllegalArgumentException(count + " keys are " + smallest + " on one of " + actors + " actors");
        }
    }

    /**
     * Creates a table with these keys, one replica per actor, and loads its rows.
     *
     * @param field field of the key
     * @param function update function of the port
     * @param row row of a key
     */
    public void load(
            UniserveClient client,
            String table,
            String port,
            String field,
            String function,
            Function<String, Map<String, Object>> row) {
        client.admin()
                .createTable(TableSpec.named(table)
                        .port(port)
                        .hash(actors())
                        .keyField(field)
                        .replicas(1));
        for (List<String> keys : byActor) {
            for (int from = 0; from < keys.size(); from += BATCH) {
                List<Map<String, Object>> batch = keys.subList(from, Math.min(keys.size(), from + BATCH)).stream()
                        .map(row)
                        .toList();
                client.table(table).updateDocuments(function, batch).run().orThrow();
            }
        }
    }

    public int actors() {
        return byActor.size();
    }

    /** Returns the keys of an actor in order. */
    public List<String> of(int actor) {
        return List.copyOf(byActor.get(actor));
    }

    /** Returns the place of the n-th query's first key among its actor's keys, so that {@code length} keys follow it. */
    public int place(int actor, long n, int length) {
        long mixed = (n + 1) * MIX;
        mixed ^= mixed >>> 29;
        return (int) Math.floorMod(mixed, (long) byActor.get(actor).size() - length + 1);
    }

    /** Returns the key of an actor at this place. */
    public String key(int actor, int place) {
        return byActor.get(actor).get(place);
    }
}
