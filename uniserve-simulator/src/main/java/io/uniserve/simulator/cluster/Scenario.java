package io.uniserve.simulator.cluster;

import io.uniserve.model.Durability;
import io.uniserve.model.OnLoss;
import io.uniserve.simulator.kernel.Prng;

/**
 * Sizes of a simulated cluster that a seed draws.
 *
 * @param operationMillisMean mean time between two operations of all clients together, in milliseconds of virtual time
 */
public record Scenario(
        int servers,
        int actors,
        int rf,
        int minIsr,
        int coordinators,
        int clients,
        int operationMillisMean,
        OnLoss onLoss,
        Durability durability) {
    /** Draws the sizes. */
    public static Scenario draw(Prng random) {
        int servers = random.below(4) == 0 ? random.between(1, 2) : random.between(3, 7);
        int most = Math.min(3, servers);
        int rf = random.below(5) == 0 ? 1 : random.between(Math.min(2, most), most);
        return new Scenario(
                servers,
                random.between(1, 16),
                rf,
                random.between(1, Math.max(1, rf - 1)),
                random.between(1, 2),
                random.between(1, 4),
                random.between(40, 70),
                rf == 1 && random.below(2) == 0 ? OnLoss.RESTORE_ACTOR : OnLoss.WAIT,
                random.below(5) == 0 ? Durability.REMOTE : Durability.LOCAL);
    }

    /** Scenario of a long run: few operations, and one server more than replicas per actor. */
    public static Scenario calm() {
        return new Scenario(4, 4, 3, 2, 2, 3, 1_500, OnLoss.WAIT, Durability.LOCAL);
    }

    /** The same scenario without durable storage. */
    public Scenario withoutStorage() {
        return new Scenario(
                servers, actors, rf, minIsr, coordinators, clients, operationMillisMean, onLoss, Durability.LOCAL);
    }

    /** The same scenario for an atomic table with this rule for lost actors. */
    public Scenario atomic(OnLoss loss) {
        Durability local =
                loss == OnLoss.RESTORE_TABLE ? Durability.LOCAL : durability; // a restoration needs no REMOTE
        return new Scenario(servers, actors, rf, minIsr, coordinators, clients, operationMillisMean, loss, local);
    }

    @Override
    public String toString() {
        return servers + " servers, " + actors + " actors, rf " + rf + ", minIsr " + minIsr + ", " + coordinators
                + " coordinators, " + clients + " clients, " + onLoss
                + (durability == Durability.REMOTE ? ", durability REMOTE" : "");
    }
}
