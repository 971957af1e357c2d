package io.uniserve.simulator.cluster;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import java.util.List;
import java.util.TreeSet;

/**
 * Simulated operator that moves replicas of the table, changes the requested number of replicas of an actor, and drains servers now and
 * then, independent of all other events, in half of all seeds. The map may have changed by the time of the request. Some moves are
 * cancelled.
 */
public final class ReassignmentWorkload {
    private static final long SECOND = 1_000_000_000L;

    private final SimulationContext world;
    private final SimCluster cluster;
    private final Prng random;
    private final boolean frequent;
    private final TreeSet<ServerId> drained = new TreeSet<>();
    private boolean ended;

    public ReassignmentWorkload(SimulationContext world, SimCluster cluster, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.random = random;
        this.frequent = random.below(2) == 0;
    }

    /** True if the simulated operator acts in this seed. */
    public boolean isFrequent() {
        return frequent;
    }

    /** Starts the workload if there is a spare server for a replica. */
    public void begin() {
        if (frequent && cluster.servers().size() > cluster.rf()) {
            next();
        }
    }

    /** Ends the workload. Moves under way continue, and drained servers are released. */
    public void end() {
        ended = true;
        if (!drained.isEmpty()) {
            release();
            world.queue.after(SECOND, this::end);
        }
    }

    private void next() {
        world.queue.after(random.between(SECOND, 8 * SECOND), () -> {
            if (!ended) {
                int kind = random.below(8);
                if (kind == 0) {
                    drainOrRelease();
                } else if (kind == 1) {
                    cluster.route().ifPresent(this::replicate);
                } else {
                    cluster.route().ifPresent(this::move);
                }
                next();
            }
        });
    }

    /** Drains one server at a time; the next call releases it. */
    private void drainOrRelease() {
        if (drained.isEmpty()) {
            ServerId server = random.pick(cluster.servers()).id();
            drained.add(server);
            drain(server, true);
        } else {
            release();
        }
    }

    private void release() {
        List.copyOf(drained).forEach(server -> drain(server, false));
    }

    private void drain(ServerId server, boolean wanted) {
        AdminRequest wish = new AdminRequest.DrainServer(server, wanted);
        cluster.leader()
                .ifPresent(leader -> leader.onAdmin(wish, outcome -> {
                    boolean noted = outcome instanceof Outcome.Ok;
                    if (noted && wanted) {
                        world.faultIntensity.count(Fault.SERVER_EMPTIED);
                    }
                    if (noted && !wanted) {
                        drained.remove(server);
                    }
                    world.trace.line((wanted ? "drain " : "undrain ") + server + (noted ? " ok" : " refused"));
                }));
    }

    private void replicate(TableRoute route) {
        ActorState actor = random.pick(route.map().actors());
        int copies = random.below(2) == 0
                ? 0
                : random.between(cluster.rf(), cluster.servers().size() + 1);
        AdminRequest wish = new AdminRequest.ReplicateActor(SimulationContext.TABLE, actor.actor(), copies);
        cluster.leader()
                .ifPresent(leader -> leader.onAdmin(wish, outcome -> {
                    boolean noted = outcome instanceof Outcome.Ok;
                    if (noted) {
                        world.faultIntensity.count(Fault.COPIES_WISHED);
                    }
                    world.trace.line("replicate " + actor.actor() + " " + copies + (noted ? " ok" : " refused"));
                }));
    }

    private void move(TableRoute route) {
        ActorState actor = random.pick(route.map().actors());
        ServerId from = random.pick(actor.desiredServers());
        List<ServerId> others = cluster.servers().stream()
                .map(ServerNode::id)
                .filter(id -> !actor.desiredServers().contains(id))
                .toList();
        if (others.isEmpty()) {
            return;
        }
        ServerId to = random.pick(others);
        requestMove(actor.actor(), from, to);
        if (random.below(5) == 0) {
            world.queue.after(random.below(SECOND), () -> requestMove(actor.actor(), to, from));
        }
    }

    private void requestMove(int actor, ServerId from, ServerId to) {
        AdminRequest move = new AdminRequest.MoveReplica(SimulationContext.TABLE, actor, from, to);
        cluster.leader()
                .ifPresent(leader -> leader.onAdmin(move, outcome -> {
                    boolean noted = outcome instanceof Outcome.Ok;
                    if (noted) {
                        world.faultIntensity.count(Fault.REPLICA_MOVED);
                    }
                    world.trace.line("move " + actor + " " + from + " " + to + (noted ? " ok" : " refused"));
                }));
    }
}
