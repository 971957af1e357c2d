package io.uniserve.simulator.workload;

import io.uniserve.protocol.client.update.Update;
import io.uniserve.simulator.kernel.Prng;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/** Random transfers: one row gives amounts to one to three other rows, on other actors if there are several. */
public final class TransferGenerator {
    private static final int AMOUNT_MAX = 1_000;
    private static final int RECEIVERS_MAX = 3;

    private TransferGenerator() {}

    /** The amount to add per row, negative to subtract; their sum is 0. */
    public static TreeMap<Integer, Long> draw(Prng random, ActorKeys keys) {
        TreeMap<Integer, Long> changes = new TreeMap<>();
        int giver = row(random, random.below(keys.count()));
        long given = 0;
        for (int left = random.between(1, RECEIVERS_MAX); left > 0; left--) {
            int receiver = row(random, random.below(keys.count()));
            boolean apart = keys.count() == 1 || ActorKeys.actorOf(receiver) != ActorKeys.actorOf(giver);
            if (receiver != giver && apart) {
                long amount = random.between(1, AMOUNT_MAX);
                changes.merge(receiver, amount, Long::sum);
                given += amount;
            }
        }
        if (given == 0) { // no other row was drawn
            int next = (ActorKeys.actorOf(giver) + 1) % keys.count();
            int receiver = keys.count() == 1 ? giver ^ 1 : ActorKeys.list(next, 0);
            changes.put(receiver, 1L);
            given = 1;
        }
        changes.put(giver, -given);
        return changes;
    }

    /** The actors that the transfer changes. */
    public static TreeSet<Integer> actors(TreeMap<Integer, Long> changes) {
        TreeSet<Integer> actors = new TreeSet<>();
        changes.keySet().forEach(row -> actors.add(ActorKeys.actorOf(row)));
        return actors;
    }

    /** The update's batches, one per actor. */
    public static List<Update.ActorBatch> batches(ActorKeys keys, TreeMap<Integer, Long> changes) {
        List<Update.ActorBatch> batches = new ArrayList<>();
        for (int actor : actors(changes)) {
            int rows = (int) changes.keySet().stream()
                    .filter(row -> ActorKeys.actorOf(row) == actor)
                    .count();
            batches.add(new Update.ActorBatch(actor, rows, keys.add(actor, changes)));
        }
        return batches;
    }

    private static int row(Prng random, int actor) {
        return ActorKeys.list(actor, random.below(ActorKeys.LISTS_PER_ACTOR));
    }
}
