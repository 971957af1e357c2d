package io.uniserve.placement.text;

import io.uniserve.placement.limit.PlacementLimits;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ShardSet;
import java.io.Reader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reader of placement problems. Words are separated by white space: actors, servers, slots per server, minimum replicas, rounds; the first
 * server of each actor; then per round the load of each actor, the number of shard sets, and for each of these its frequency, its size, and
 * its actors. Errors name the line.
 */
public final class InstanceReader {
    private InstanceReader() {}

    /**
     * Reads a whole file.
     *
     * @param file its name, for errors
     */
    public static PlacementInstance read(Reader in, String file) {
        TokenReader tokens = new TokenReader(in, file);
        int actors = tokens.integer("the number of actors", 0, PlacementLimits.ACTORS_MAX);
        int servers = tokens.integer("the number of servers", 0, PlacementLimits.SERVERS_MAX);
        int slots = tokens.integer("the slots of a server", 0, PlacementLimits.ACTORS_MAX);
        int rf = tokens.integer("the least replicas", 1, PlacementLimits.SERVERS_MAX);
        int rounds = tokens.integer("the number of rounds", 1, PlacementLimits.ROUNDS_MAX);
        int[] initial = new int[actors];
        for (int i = 0; i < actors; i++) {
            initial[i] = tokens.integer("the server of actor " + i, servers == 0 ? -1 : 0, servers - 1);
        }
        int[] seen = new int[actors];
        List<PlacementInstance.Round> list = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            list.add(round(tokens, actors, seen));
        }
        tokens.end();
        return new PlacementInstance(servers, slots, rf, Assignment.single(initial), list);
    }

    private static PlacementInstance.Round round(TokenReader tokens, int actors, int[] seen) {
        double[] loads = new double[actors];
        for (int i = 0; i < actors; i++) {
            loads[i] = tokens.amount("the load of actor " + i);
        }
        if (Double.isInfinite(Arrays.stream(loads).sum())) {
            throw tokens.malformed("the sum of the loads is not finite: measure them in a larger unit");
        }
        int count = tokens.integer("the number of shard sets", 0, PlacementLimits.SHARD_SETS_MAX);
        List<ShardSet> sets = new ArrayList<>(count);
        Arrays.fill(seen, 0);
        for (int s = 1; s <= count; s++) {
            double frequency = tokens.amount("the frequency of shard set " + s);
            int[] members = new int[tokens.integer("the size of shard set " + s, 0, actors)];
            for (int q = 0; q < members.length; q++) {
                members[q] = tokens.integer("an actor of shard set " + s, 0, actors - 1);
                if (seen[members[q]] == s) {
                    throw tokens.malformed("shard set " + s + " has actor " + members[q] + " twice");
                }
                seen[members[q]] = s;
            }
            sets.add(new ShardSet(frequency, members));
        }
        return new PlacementInstance.Round(loads, sets);
    }
}
