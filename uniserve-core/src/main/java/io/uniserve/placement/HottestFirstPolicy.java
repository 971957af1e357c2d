package io.uniserve.placement;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.Server;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rebalancing policy that repeatedly moves the hottest replica that fits. It moves from the server with the highest load relative to its
 * strength to the one with the lowest.
 *
 * <p>A server's due is the share of the total load in proportion to its strength. Nothing moves while every server is within the tolerance
 * of its due. Otherwise moves continue until all are within a quarter of the tolerance, or no move helps.
 *
 * <p>Rules of a move: the source is above its due and the target below. Afterwards both are below the previous load of the source, by at
 * least a quarter of the moved load. No server has two replicas of an actor, and the actor's replicas are in at least as many zones as
 * before. If possible, it takes the hottest replica that leaves the target no more loaded than the source, else the coldest that helps.
 *
 * <p>Example: servers A B C with 16 equal replicas each and D, new, with none, tolerance 20%: four move from each to D. With 5 replicas on
 * three servers, 2 2 1, nothing moves, as every move leads to 2 2 1 again.
 */
public final class HottestFirstPolicy implements RebalancePolicy {
    /** Minimum gain of the more loaded one of both servers, as a part of the moved replica's load. */
    private static final double GAIN_MIN = 0.25;

    /** Part of the tolerance within which servers are when moves end. Then loads may drift for a while before the next moves. */
    private static final double STOP_TOLERANCE = 0.25;

    private final double tolerance;
    private final int movesMax;

    /**
     * Policy with these bounds.
     *
     * @param tolerance permitted deviation of a server from its due, as a part of the due, more than 0
     * @param movesMax maximum number of moves per call
     */
    public HottestFirstPolicy(double tolerance, int movesMax) {
        if (!(tolerance > 0) || movesMax < 1) {
            throw UniserveException.invalid(
                    "tolerance " + tolerance + ", moves " + movesMax + ": use more than 0, and at least 1");
        }
        this.tolerance = tolerance;
        this.movesMax = movesMax;
    }

    @Override
    public List<ReplicaMove> moves(LiveCluster cluster) {
        Search search = new Search(cluster);
        List<ReplicaMove> moves = new ArrayList<>();
        if (search.nodes.isEmpty() || search.areAllWithin(tolerance)) {
            return moves;
        }
        while (moves.size() < movesMax && search.addNextMove(moves, tolerance * STOP_TOLERANCE)) {
            // until no move helps
        }
        return moves;
    }

    /** Server with its load during the search. */
    private static final class Node {
        final Server server;
        final List<Actor> actors = new ArrayList<>();
        double load;

        Node(Server server) {
            this.server = server;
        }

        double relativeLoad() {
            return load / server.weight();
        }

        double relativeLoadWith(double more) {
            return (load + more) / server.weight();
        }
    }

    private static final class Search {
        final List<Node> nodes = new ArrayList<>();
        private final TreeMap<ServerId, Node> byId = new TreeMap<>();
        private final Set<ReplicaKey> moved = new TreeSet<>();
        private final double mean;

        Search(LiveCluster cluster) {
            double weight = 0;
            for (Server server : cluster.servers()) {
                Node node = new Node(server);
                nodes.add(node);
                byId.put(server.id(), node);
                weight += server.weight();
            }
            double all = 0;
            for (Actor actor : cluster.actors()) {
                for (ServerId host : actor.hosts()) {
                    Node node = byId.get(host);
                    if (node != null) {
                        node.load += actor.loadOn(host);
                        node.actors.add(actor);
                        all += actor.loadOn(host);
                    }
                }
            }
            mean = weight > 0 ? all / weight : 0;
            for (Node node : nodes) {
                Comparator<Actor> hottest = Comparator.comparingDouble(actor -> -actor.loadOn(node.server.id()));
                node.actors.sort(hottest.thenComparing(Actor::key));
            }
        }

        boolean areAllWithin(double part) {
            return nodes.stream().allMatch(node -> isWithin(node, part));
        }

        private boolean isWithin(Node node, double part) {
            return Math.abs(node.relativeLoad() - mean) <= part * mean;
        }

        /** Makes the next move; false if no move helps. */
        boolean addNextMove(List<ReplicaMove> moves, double part) {
            Comparator<Node> least = Comparator.comparingDouble(Node::relativeLoad);
            List<Node> above = nodes.stream()
                    .filter(node -> node.relativeLoad() > mean)
                    .sorted(least.reversed().thenComparing(node -> node.server.id()))
                    .toList();
            List<Node> below = nodes.stream()
                    .filter(node -> node.relativeLoad() < mean)
                    .sorted(least.thenComparing(node -> node.server.id()))
                    .toList();
            for (Node from : above) {
                for (Node to : below) {
                    Actor chosen = isWithin(from, part) && isWithin(to, part) ? null : chooseActor(from, to);
                    if (chosen != null) {
                        moves.add(makeMove(chosen, from, to));
                        return true;
                    }
                }
            }
            return false;
        }

        private @Nullable Actor chooseActor(Node from, Node to) {
            Actor coldest = null;
            for (Actor actor : from.actors) {
                double load = actor.loadOn(from.server.id());
                double worst = Math.max(from.relativeLoadWith(-load), to.relativeLoadWith(load));
                boolean helps = load > 0 && from.relativeLoad() - worst >= GAIN_MIN * load / from.server.weight();
                if (helps && mayMove(actor, from.server, to.server)) {
                    if (to.relativeLoadWith(load) <= from.relativeLoadWith(-load)) {
                        return actor;
                    }
                    coldest = actor;
                }
            }
            return coldest;
        }

        private boolean mayMove(Actor actor, Server from, Server to) {
            return actor.movable()
                    && !moved.contains(actor.key())
                    && !actor.hosts().contains(to.id())
                    && to.ports().contains(actor.port())
                    && countZones(actor, from, to) >= countZones(actor, from, from);
        }

        private long countZones(Actor actor, Server from, Server instead) {
            return actor.hosts().stream()
                    .map(host -> byId.get(host.equals(from.id()) ? instead.id() : host))
                    .filter(Objects::nonNull)
                    .map(node -> node.server.zone())
                    .collect(Collectors.toCollection(TreeSet::new))
                    .size();
        }

        private ReplicaMove makeMove(Actor actor, Node from, Node to) {
            String why =
                    String.format(Locale.ROOT, "source at %s of its due, target at %s", percent(from), percent(to));
            double load = actor.loadOn(from.server.id());
            from.load -= load;
            to.load += load;
            from.actors.remove(actor);
            moved.add(actor.key());
            return new ReplicaMove(actor.key(), from.server.id(), to.server.id(), why);
        }

        private String percent(Node node) {
            return String.format(Locale.ROOT, "%.0f%%", 100 * node.relativeLoad() / mean);
        }
    }
}
