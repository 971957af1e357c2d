package io.uniserve.simulator.cluster;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.gate.ReadGate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * I10: replicas that have applied the same index have equal contents. The check runs continuously, on one actor after the other, and
 * compares in-sync replicas that answer reads. These follow one log, so equal indexes mean equal prefixes.
 */
final class ReplicaDigestCheck {
    /** Digest of a replica without an engine's actor. */
    private static final byte[] NONE = new byte[0];

    private final SimulationContext world;
    private final Function<ServerId, ServerNode> servers;
    private int next;

    ReplicaDigestCheck(SimulationContext world, Function<ServerId, ServerNode> servers) {
        this.world = world;
        this.servers = servers;
    }

    /** Checks the next actor. */
    void checkOne(List<TableRoute> tables) {
        int actors =
                tables.stream().mapToInt(route -> route.map().actors().size()).sum();
        if (actors == 0) {
            return;
        }
        int which = next++ % actors;
        for (TableRoute route : tables) {
            if (which < route.map().actors().size()) {
                ActorState actor = route.map().actors().get(which);
                compare(new ReplicaKey(route.meta().tableId(), actor.actor()), actor, this::applied);
                return;
            }
            which -= route.map().actors().size();
        }
    }

    /** Compares all in-sync replicas of an actor that has converged. */
    void compareAll(long tableId, ActorState actor) {
        compare(new ReplicaKey(tableId, actor.actor()), actor, (server, key, epoch) -> Optional.of("the end"));
    }

    /** The applied index or version, if the replica answers reads in this epoch. */
    private Optional<String> applied(ServerNode server, ReplicaKey key, long epoch) {
        ReadGate gate = server.gate(key);
        return gate != null && gate.serving() && gate.epoch() == epoch
                ? Optional.ofNullable(server.applied(key))
                : Optional.empty();
    }

    private void compare(ReplicaKey key, ActorState actor, Applied applied) {
        Map<String, Known> seen = new TreeMap<>();
        for (ServerId member : actor.isr()) {
            ServerNode server = servers.apply(member);
            Optional<String> at = applied.of(server, key, actor.epoch());
            if (at.isEmpty()) {
                continue;
            }
            byte[] contents = server.digest(key);
            byte[] digest = contents == null ? NONE : contents;
            Known first = seen.putIfAbsent(at.get(), new Known(member, digest));
            if (first != null) {
                world.digestsCompared++;
                if (!Arrays.equals(first.digest, digest)) {
                    world.violations.add(
                            "I10", key + " differs between " + first.server + " and " + member + " at " + at.get());
                }
            }
        }
    }

    private interface Applied {
        Optional<String> of(ServerNode server, ReplicaKey key, long epoch);
    }

    private record Known(ServerId server, byte[] digest) {}
}
