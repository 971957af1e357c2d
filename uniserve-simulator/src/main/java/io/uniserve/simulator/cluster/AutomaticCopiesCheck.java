package io.uniserve.simulator.cluster;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.simulator.check.ViolationCollector;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.FaultIntensity;
import io.uniserve.simulator.registry.SimEnsemble;
import io.uniserve.simulator.registry.SimEnsemble.Applied;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * Check of automatic copies in the registry: their number stays within the bound, new copies replace none, one actor changes at a time
 * and only while no other one moves, an operator's number is a lower bound, and shares of queries name exactly the in-sync replicas. It also counts copies that were
 * made, dropped, and read.
 */
final class AutomaticCopiesCheck implements SimEnsemble.Listener {
    private static final double ROUNDING = 1e-6;

    private final ViolationCollector violations;
    private final FaultIntensity counts;
    private final int copiesMax;
    private final TreeMap<Long, TableMap> maps = new TreeMap<>();
    private final TreeMap<String, Integer> rf = new TreeMap<>();

    /** @param copiesMax bound of every coordinator */
    public AutomaticCopiesCheck(ViolationCollector violations, FaultIntensity counts, int copiesMax) {
        this.violations = violations;
        this.counts = counts;
        this.copiesMax = copiesMax;
    }

    @Override
    public void onCommitted(String session, long zxid, List<Applied> applied, Set<String> changed) {
        for (Applied one : applied) {
            if (one.after() != null && one.after().value() instanceof TableMeta meta) {
                rf.put(RegistryPaths.map(meta.name()), meta.rf());
            }
            if (one.after() != null && one.after().value() instanceof TableMap after) {
                maps.put(after.tableId(), after);
                after.actors().forEach(actor -> state(after, actor));
                if (one.before() != null
                        && one.before().value() instanceof TableMap before
                        && before.tableId() == after.tableId()) {
                    changed(before, after, rf.getOrDefault(one.op().path(), 1));
                }
            }
        }
    }

    private void state(TableMap map, ActorState actor) {
        String name = map.name() + "/" + actor.actor();
        if (actor.automaticCopies() > copiesMax) {
            violations.add("COPIES", name + " requests " + actor.automaticCopies() + " copies, at most " + copiesMax);
        }
        double sum = actor.weights().values().stream()
                .mapToDouble(Double::doubleValue)
                .sum();
        if (!actor.weights().isEmpty()
                && (!actor.weights().keySet().equals(Set.copyOf(actor.isr())) || Math.abs(sum - 1) > ROUNDING)) {
            violations.add("COPIES", name + " has shares " + actor.weights() + " and ISR " + actor.isr());
        }
    }

    private void changed(TableMap before, TableMap after, int rf) {
        int changes = 0;
        for (ActorState was : before.actors()) {
            ActorState is = after.find(was.actor());
            if (is != null && was.automaticCopies() != is.automaticCopies()) {
                changes++;
                changed(before.name() + "/" + was.actor(), was, is, rf);
                boolean others = before.actors().stream()
                        .anyMatch(actor -> actor.actor() != was.actor() && !actor.isOnDesiredServers());
                if (others && is.automaticCopies() > was.automaticCopies()) {
                    violations.add("COPIES", before.name() + "/" + was.actor() + " grows while another actor moves");
                }
            }
        }
        if (changes > 1) {
            violations.add("COPIES", before.name() + " changes the copies of " + changes + " actors at once");
        }
    }

    private void changed(String name, ActorState was, ActorState is, int rf) {
        boolean grows = is.automaticCopies() > was.automaticCopies();
        counts.count(grows ? Fault.COPY_MADE : Fault.COPY_DROPPED);
        int least = Math.max(rf, is.copies());
        if (was.copies() != is.copies()) {
            violations.add("COPIES", name + " changes an operator's number with its own");
        }
        boolean added = is.desiredServers().size() == is.automaticCopies()
                && Set.copyOf(is.desiredServers()).containsAll(was.desiredServers());
        if (grows && !added) {
            violations.add("COPIES", name + " goes from " + was.desiredServers() + " to " + is.desiredServers());
        }
        boolean below = is.desiredServers().size() < least
                && is.desiredServers().size() < was.desiredServers().size();
        if (below || !is.desiredServers().contains(is.primary())) {
            violations.add(
                    "COPIES",
                    name + " keeps " + is.desiredServers() + ", primary " + is.primary() + ", least " + least);
        }
    }

    /** Counts a read that a replica other than the primary has answered while the actor has automatic copies. */
    public void onAnswered(String server, ReplicaKey key) {
        TableMap map = maps.get(key.tableId());
        if (map != null) {
            ActorState actor = map.find(key.actor());
            if (actor != null && actor.automaticCopies() > 0 && !actor.primary().equals(new ServerId(server))) {
                counts.count(Fault.COPY_READ);
            }
        }
    }
}
