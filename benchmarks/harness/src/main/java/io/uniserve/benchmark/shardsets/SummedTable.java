package io.uniserve.benchmark.shardsets;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.benchmark.balance.HashedKeys;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Table of port kv whose queries scan all rows of some actors and return the sum of a field. Amounts are such that a missing, doubled or
 * changed row changes the sum. Queries are thread-safe once the table is loaded.
 */
final class SummedTable {
    private static final String KEY = "id";
    private static final String AMOUNT = "amount";
    private static final long MIX = 0x9e3779b97f4a7c15L;
    private static final int AMOUNT_BITS = 40;

    private static final RetrieveCall<String, Long> SUM = new RetrieveCall<>("kv.sum@1", Codecs.STRING, Codecs.LONG);

    private final HashedKeys keys;
    private final long[] sums;
    private String name = "";
    private List<Integer> actors = List.of();

    SummedTable(int actors, int rows) {
        keys = new HashedKeys(actors, rows, 0);
        sums = new long[actors];
        for (int actor = 0; actor < actors; actor++) {
            for (String key : keys.of(actor)) {
                sums[actor] += amount(key);
            }
        }
    }

    /** Returns the amount of a key, which depends on the key only: 40 bits. */
    static long amount(String key) {
        long mixed = (key.hashCode() + 1L) * MIX;
        return (mixed ^ (mixed >>> 32)) & ((1L << AMOUNT_BITS) - 1);
    }

    /**
     * Drops the table of the last call, creates one and loads its rows. Its actors are even over the servers, and the parts are numbered
     * server by server: neighbours start side by side.
     */
    void load(UniserveClient client, String newName) {
        if (!name.isEmpty()) {
            client.admin().dropTable(name);
        }
        name = newName;
        keys.load(client, name, "kv", KEY, "kv.put@1", key -> Map.of(KEY, key, AMOUNT, amount(key)));
        actors = serverByServer(client.admin().describeTable(name).map().actors());
    }

    /** Returns the numbers of the actors, server by server. Fails unless each server has the same number. */
    static List<Integer> serverByServer(List<ActorState> states) {
        Map<String, Long> counts = states.stream()
                .collect(Collectors.groupingBy(state -> state.primary().value(), Collectors.counting()));
        if (counts.values().stream().distinct().count() > 1) {
            throw new UniserveException(ErrorCode.INTERNAL, "the placement at the start is not even: " + counts);
        }
        return states.stream()
                .sorted(Comparator.comparing(ActorState::primary).thenComparing(ActorState::actor))
                .map(ActorState::actor)
                .toList();
    }

    String name() {
        return name;
    }

    /** Sums the rows of these parts in one query. Returns the difference to the right answer, or empty. */
    Optional<String> query(UniserveClient client, int[] parts) {
        List<Integer> chosen = Arrays.stream(parts).mapToObj(actors::get).toList();
        long found = client.table(name)
                .actors(chosen)
                .retrieve(
                        SUM,
                        AMOUNT,
                        partials -> partials.stream().mapToLong(Long::longValue).sum());
        return difference(chosen, found);
    }

    /** Compares a sum with the rows of these actors. */
    Optional<String> difference(List<Integer> chosen, long found) {
        long right = chosen.stream().mapToLong(actor -> sums[actor]).sum();
        return found == right
                ? Optional.empty()
                : Optional.of("the sum of actors " + chosen + " is " + found + ", not " + right);
    }
}
