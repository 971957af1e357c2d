package io.uniserve.protocol.coordinator.metadata;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.placement.ServerView;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * View of the servers during one pass of the reconciliation: liveness and number of replicas per server. The numbers include the decisions
 * of the pass so far.
 */
public final class ClusterView {
    private final TreeMap<ServerId, Node> nodes = new TreeMap<>();
    private final Predicate<ServerId> awaitedServers;

    /** @param awaited unregistered servers that do not count as dead yet */
    public ClusterView(Predicate<ServerId> awaited) {
        this.awaitedServers = awaited;
    }

    /**
     * @param draining the server must become empty
     * @param leaving the server stops soon, even if it still has replicas
     */
    public void add(ServerRecord record, Liveness liveness, boolean draining, boolean leaving) {
        nodes.put(record.id(), new Node(record, liveness, draining, leaving));
    }

    /** Adds ({@code sign} 1) or subtracts (-1) the replicas of an actor. */
    public void countReplicas(ActorState actor, int sign) {
        Node primary = nodes.get(actor.primary());
        if (primary != null) {
            primary.primaries += sign;
        }
        actor.isr().forEach(id -> addReplica(id, sign));
        for (ServerId id : actor.learners()) {
            addReplica(id, sign);
            Node node = nodes.get(id);
            if (node != null) {
                node.learners += sign;
            }
        }
    }

    private void addReplica(ServerId id, int sign) {
        Node node = nodes.get(id);
        if (node != null) {
            node.replicas += sign;
        }
    }

    Liveness liveness(ServerId id) {
        Node node = nodes.get(id);
        if (node == null) {
            return awaitedServers.test(id) ? Liveness.UNKNOWN : Liveness.DEAD;
        }
        return node.liveness;
    }

    public boolean isLive(ServerId id) {
        return liveness(id) == Liveness.LIVE;
    }

    public boolean isDead(ServerId id) {
        return liveness(id) == Liveness.DEAD;
    }

    /** True when the server's ephemeral node exists, independent of pings. */
    public boolean isRegistered(ServerId id) {
        return nodes.containsKey(id);
    }

    /** Incarnation of the server's ephemeral node, or -1 if there is none. */
    public long incarnation(ServerId id) {
        Node node = nodes.get(id);
        return node == null ? -1 : node.record.incarnation();
    }

    public boolean isDraining(ServerId id) {
        Node node = nodes.get(id);
        return node != null && node.draining;
    }

    public boolean isLeaving(ServerId id) {
        Node node = nodes.get(id);
        return node != null && node.leaving;
    }

    public int learners(ServerId id) {
        Node node = nodes.get(id);
        return node == null ? 0 : node.learners;
    }

    /** Live servers with this port that may get replicas. */
    public List<ServerView> eligible(String port) {
        return nodes.values().stream()
                .filter(n -> n.liveness == Liveness.LIVE && !n.draining && offersPort(n.record, port))
                .map(Node::view)
                .toList();
    }

    /**
     * Number of replicas that an actor should have: the table's rf, or an operator's higher number as far as there are servers.
     *
     * @param copies the operator's number, 0 for none
     * @param holders servers that have the actor
     */
    public int wantedReplicas(TableMeta meta, int copies, List<ServerId> holders) {
        if (copies <= meta.rf()) {
            return meta.rf();
        }
        TreeSet<ServerId> places = new TreeSet<>();
        eligible(meta.port()).forEach(server -> places.add(server.id()));
        holders.stream().filter(id -> !isDead(id) && !isDraining(id)).forEach(places::add);
        return Math.max(meta.rf(), Math.min(copies, places.size()));
    }

    /** Reason why no server is {@link #eligible}. */
    public String noEligibleReason(String port) {
        List<Node> live =
                nodes.values().stream().filter(n -> n.liveness == Liveness.LIVE).toList();
        if (live.isEmpty()) {
            return "no server is live";
        }
        return live.stream().noneMatch(n -> offersPort(n.record, port))
                ? "no live server offers port " + port
                : "the live servers that offer port " + port + " are being drained";
    }

    /** Views of those servers that are registered. */
    public List<ServerView> views(Collection<ServerId> ids) {
        return ids.stream()
                .map(nodes::get)
                .filter(java.util.Objects::nonNull)
                .map(Node::view)
                .toList();
    }

    /** The member with the fewest primaries. */
    public ServerId leastLoadedPrimary(List<ServerId> members) {
        return members.stream()
                .min(Comparator.<ServerId>comparingInt(this::primaries).thenComparing(id -> id))
                .orElseThrow();
    }

    /** The member with the most replicas. */
    public ServerId mostLoaded(List<ServerId> members) {
        return members.stream()
                .max(Comparator.<ServerId>comparingInt(this::replicas).thenComparing(id -> id))
                .orElseThrow();
    }

    private int primaries(ServerId id) {
        Node node = nodes.get(id);
        return node == null ? 0 : node.primaries;
    }

    private int replicas(ServerId id) {
        Node node = nodes.get(id);
        return node == null ? 0 : node.replicas;
    }

    public static boolean offersPort(ServerRecord record, String port) {
        return record.ports().stream().anyMatch(p -> p.name().equals(port));
    }

    /** Liveness of a server. */
    public enum Liveness {
        LIVE,
        /** Not counted as dead yet: it keeps its replicas and gets no new ones. */
        UNKNOWN,
        DEAD
    }

    private static final class Node {
        final ServerRecord record;
        final Liveness liveness;
        final boolean draining;
        final boolean leaving;
        int primaries;
        int replicas;
        int learners;

        Node(ServerRecord record, Liveness liveness, boolean draining, boolean leaving) {
            this.record = record;
            this.liveness = liveness;
            this.draining = draining;
            this.leaving = leaving;
        }

        ServerView view() {
            return new ServerView(record.id(), record.zone(), primaries, replicas);
        }
    }
}
