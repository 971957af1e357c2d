package io.uniserve.placement;

import io.uniserve.model.ServerId;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.Server;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Greedy replication of hot actors. An actor whose queries exceed the due of all its servers gets replicas on the servers of least
 * relative load, all at once, and its queries are divided so that the highest relative load is least. A cold actor loses its automatic
 * copies again, one by one. Average and newest load must both be high, so a short burst makes no copy.
 *
 * <p>A server's due is its part of the whole load, by strength. An actor is hot above {@link ReplicationLimits#growAbove} times the due of
 * its servers. It is cold below {@link ReplicationLimits#shrinkBelow} times the due of one server fewer. As the second threshold is
 * lower, a copy that was just made is not cold at the same load.
 *
 * <p>A copy is made only if its gain over the horizon exceeds its cost. The gain is the load above the servers' dues that it removes. The
 * cost is the CPU time of the transfer, at the measured rate of past copies, and the updates that the copy applies.
 *
 * <p>Example: four equal servers, one actor with 7/8 of all queries. It exceeds the due of one, two and three servers, so it gets three
 * more replicas.
 */
public final class GreedyReplicationPolicy implements ReplicationPolicy {
    /** Least improvement of the highest relative load by other shares, as a part of the mean. Smaller ones are noise. */
    private static final double SHARES_GAIN_MIN = 0.1;

    /** Deviation from equal shares below which shares are equal. */
    private static final double EQUAL_SHARES = 0.05;

    private final ReplicationLimits limits;
    private final double tolerance;

    /**
     * Policy with these bounds.
     *
     * @param tolerance permitted deviation of a server from its due, as a part of the due
     */
    public GreedyReplicationPolicy(ReplicationLimits limits, double tolerance) {
        this.limits = limits;
        this.tolerance = tolerance;
    }

    @Override
    public Plan plan(LiveCluster cluster, CopyTraffic measured) {
        Search search = new Search(cluster, measured);
        Comparator<Actor> hottest =
                Comparator.comparingDouble(actor -> -actor.copies().queryLoad());
        List<Actor> actors = cluster.actors().stream()
                .filter(search::isComplete)
                .sorted(hottest.thenComparing(Actor::key))
                .toList();
        List<Change> found = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        for (Actor actor : actors) {
            Verdict verdict = search.judge(actor);
            if (verdict.change != null) {
                found.add(verdict.change);
            }
            if (!verdict.reason.isEmpty()) {
                findings.add(new Finding(actor.key(), verdict.reason));
            }
        }
        Optional<Change> first = found.stream().min(Comparator.comparingInt(GreedyReplicationPolicy::priority));
        return new Plan(first, findings);
    }

    /** Order of kinds: a copy first, then shares, then cold copies. Within a kind the hottest actor is first. */
    private static int priority(Change change) {
        return change instanceof AddCopies ? 0 : change instanceof SetWeights ? 1 : 2;
    }

    /** Result for one actor. */
    private record Verdict(@Nullable Change change, String reason) {
        static final Verdict NOTHING = new Verdict(null, "");

        static Verdict of(Change change) {
            return new Verdict(change, change.reason());
        }
    }

    /** Server of a further copy with what it saves; without a server, the reason. */
    private record NextCopy(@Nullable ServerId target, String reason) {
        static NextCopy none(String reason) {
            return new NextCopy(null, reason);
        }
    }

    private final class Search {
        private final TreeMap<ServerId, Server> servers = new TreeMap<>();
        private final TreeMap<ServerId, Double> loads = new TreeMap<>();
        private final CopyTraffic measured;
        private final double mean;

        Search(LiveCluster cluster, CopyTraffic measured) {
            this.measured = measured;
            double strength = 0;
            for (Server server : cluster.servers()) {
                servers.put(server.id(), server);
                loads.put(server.id(), 0.0);
                strength += server.weight();
            }
            double all = 0;
            for (Actor actor : cluster.actors()) {
                for (ServerId host : actor.hosts()) {
                    if (loads.computeIfPresent(host, (id, load) -> load + actor.loadOn(host)) != null) {
                        all += actor.loadOn(host);
                    }
                }
            }
            mean = strength > 0 ? all / strength : 0;
        }

        /** True if all replicas are on servers that take part; repairs come first. */
        boolean isComplete(Actor actor) {
            return !actor.hosts().isEmpty() && servers.keySet().containsAll(actor.hosts());
        }

        Verdict judge(Actor actor) {
            LiveCluster.CopyState state = actor.copies();
            boolean automatic =
                    state.automatic() > state.least() && actor.hosts().size() > state.least();
            if (automatic && !state.permitted()) {
                return drop(actor, "the table has switched automatic copies off");
            }
            if (automatic && actor.hosts().size() > limits.copiesMax()) {
                return drop(actor, "copies-max is " + limits.copiesMax());
            }
            if (isHot(actor)) {
                return grow(actor);
            }
            double cold = limits.shrinkBelow() * Math.max(due(withoutOne(actor)), limits.loadMin());
            if (automatic && state.queryLoad() <= cold) {
                return drop(
                        actor,
                        text(
                                "its load of %.1f ms/s is at most %.1f ms/s, so one replica fewer suffices",
                                load(actor), cold));
            }
            Verdict shares = shares(actor);
            if (shares.change == null && automatic) {
                return new Verdict(
                        null, text("kept: its load is %.1f ms/s, it is cold at %.1f ms/s", load(actor), cold));
            }
            return shares;
        }

        private boolean isHot(Actor actor) {
            return steadyLoad(actor) >= limits.loadMin() && exceedsDue(actor, actor.hosts());
        }

        private boolean exceedsDue(Actor actor, List<ServerId> hosts) {
            return steadyLoad(actor) > limits.growAbove() * due(hosts);
        }

        private double steadyLoad(Actor actor) {
            return Math.min(load(actor), actor.copies().newestLoad());
        }

        private double load(Actor actor) {
            return actor.copies().queryLoad();
        }

        private double due(List<ServerId> hosts) {
            return mean
                    * hosts.stream().mapToDouble(host -> server(host).weight()).sum();
        }

        private Server server(ServerId id) {
            Server server = servers.get(id);
            if (server == null) {
                throw new IllegalStateException("server " + id + " does not take part");
            }
            return server;
        }

        private Verdict grow(Actor actor) {
            String hot = text(
                    "its load of %.1f ms/s exceeds %.1f ms/s, the due of its servers", load(actor), due(actor.hosts()));
            if (!actor.copies().permitted()) {
                return refused(actor, hot, "the table has switched automatic copies off");
            }
            List<ServerId> hosts = new ArrayList<>(actor.hosts());
            NextCopy first = nextCopy(actor, hosts);
            if (first.target == null) {
                return refused(actor, hot, first.reason);
            }
            if (!actor.copies().growable() || !actor.movable()) {
                return new Verdict(null, hot + "; waits after a change");
            }
            List<ServerId> targets = new ArrayList<>();
            for (NextCopy next = first; next.target != null; next = nextCopy(actor, hosts)) {
                targets.add(next.target);
                hosts.add(next.target);
                if (!exceedsDue(actor, hosts)) {
                    break;
                }
            }
            return Verdict.of(new AddCopies(actor.key(), targets, hosts.size(), hot + "; " + first.reason));
        }

        /** Server of one more copy beside those on these hosts, if it is permitted and worth its cost. */
        private NextCopy nextCopy(Actor actor, List<ServerId> hosts) {
            int added = hosts.size() - actor.hosts().size() + 1;
            if (hosts.size() >= limits.copiesMax()) {
                return NextCopy.none("copies-max is " + limits.copiesMax());
            }
            ServerId target = target(actor, hosts);
            if (target == null) {
                return NextCopy.none("no further server offers its port");
            }
            long bytes = Math.max(0, actor.copies().bytes());
            if (added * (double) bytes + measured.bytesMoving() > limits.bytesMax()) {
                return NextCopy.none(text(
                        "its %.1f MB and %.1f MB on the move exceed bytes-max",
                        megabytes(bytes), megabytes(measured.bytesMoving())));
            }
            List<ServerId> more = new ArrayList<>(hosts);
            more.add(target);
            double[] before =
                    added == 1 ? currentShares(actor, more) : Arrays.copyOf(bestShares(actor, hosts), more.size());
            double relief = excess(actor, more, before) - excess(actor, more, bestShares(actor, more));
            double gain = relief * limits.horizonSeconds();
            double seconds = bytes / measured.bytesPerSecond();
            double updates = Math.max(0, actor.copies().updatesPerSecond());
            ReplicationLimits.CopyCost each = limits.cost();
            double cost = each.copyMillis()
                    + seconds * each.transferMillisPerSecond()
                    + updates * each.updateMillis() * limits.horizonSeconds();
            String sum = text(
                    "a copy saves %.1f ms/s, %.0f ms in %.0f s; it costs %.0f ms: %.1f MB in %.1f s, and %.1f"
                            + " updates/s",
                    relief, gain, limits.horizonSeconds(), cost, megabytes(bytes), seconds, updates);
            return gain <= cost ? NextCopy.none(sum) : new NextCopy(target, sum);
        }

        private Verdict refused(Actor actor, String hot, String why) {
            Verdict shares = shares(actor);
            return shares.change == null ? new Verdict(null, hot + ", but gets no copy: " + why) : shares;
        }

        private @Nullable ServerId target(Actor actor, List<ServerId> hosts) {
            return servers.values().stream()
                    .filter(server ->
                            !hosts.contains(server.id()) && server.ports().contains(actor.port()))
                    .min(Comparator.comparingDouble((Server server) -> relative(server.id()))
                            .thenComparing(server -> isInZoneOf(hosts, server))
                            .thenComparing(Server::id))
                    .map(Server::id)
                    .orElse(null);
        }

        private double relative(ServerId id) {
            return loads.getOrDefault(id, 0.0) / server(id).weight();
        }

        private Verdict drop(Actor actor, String reason) {
            ServerId source = source(actor);
            if (source == null || !actor.copies().shrinkable() || !actor.movable()) {
                return new Verdict(null, "kept for now: " + reason);
            }
            int left = actor.hosts().size() - 1;
            return Verdict.of(
                    new DropCopy(actor.key(), source, left <= actor.copies().least() ? 0 : left, reason));
        }

        /** The server of highest relative load that is not the primary's. A server whose zone has another replica is preferred. */
        private @Nullable ServerId source(Actor actor) {
            return actor.hosts().stream()
                    .filter(host -> !host.equals(actor.primary()))
                    .max(Comparator.comparing((ServerId host) -> isInZoneOf(without(actor, host), server(host)))
                            .thenComparingDouble(this::relative)
                            .thenComparing(id -> id))
                    .orElse(null);
        }

        private boolean isInZoneOf(List<ServerId> hosts, Server server) {
            return hosts.stream().anyMatch(host -> server(host).zone().equals(server.zone()));
        }

        private static List<ServerId> without(Actor actor, @Nullable ServerId removed) {
            return actor.hosts().stream().filter(host -> !host.equals(removed)).toList();
        }

        private List<ServerId> withoutOne(Actor actor) {
            return without(actor, source(actor));
        }

        /** Other shares, if a server is out of its tolerance and they help. */
        private Verdict shares(Actor actor) {
            List<ServerId> hosts = actor.hosts();
            if (hosts.size() < 2
                    || load(actor) < limits.loadMin()
                    || !actor.movable()
                    || !actor.copies().permitted()) {
                return Verdict.NOTHING;
            }
            double before = highest(actor, hosts, currentShares(actor, hosts));
            double[] best = bestShares(actor, hosts);
            double[] equal = new double[best.length];
            Arrays.fill(equal, 1.0 / equal.length);
            boolean isEqual =
                    Arrays.stream(best).allMatch(share -> Math.abs(share - 1.0 / best.length) <= EQUAL_SHARES);
            double after = highest(actor, hosts, isEqual ? equal : best);
            if (before <= (1 + tolerance) * mean || before - after < SHARES_GAIN_MIN * mean) {
                return Verdict.NOTHING;
            }
            Map<ServerId, Double> weights = new TreeMap<>();
            for (int j = 0; !isEqual && j < best.length; j++) {
                weights.put(hosts.get(j), best[j]);
            }
            return Verdict.of(new SetWeights(
                    actor.key(),
                    weights,
                    text(
                            "its servers are at up to %.0f%% of their due, with these shares at %.0f%%",
                            100 * before / mean, 100 * after / mean)));
        }

        private double[] currentShares(Actor actor, List<ServerId> hosts) {
            return hosts.stream()
                    .mapToDouble(host -> actor.hosts().contains(host) ? actor.share(host) : 0)
                    .toArray();
        }

        private double[] bestShares(Actor actor, List<ServerId> hosts) {
            double[] others =
                    hosts.stream().mapToDouble(host -> others(actor, host)).toArray();
            double[] weights =
                    hosts.stream().mapToDouble(host -> server(host).weight()).toArray();
            return QueryShares.divide(others, weights, load(actor));
        }

        /** Load of a server without the actor's queries. */
        private double others(Actor actor, ServerId host) {
            double own = actor.hosts().contains(host) ? load(actor) * actor.share(host) : 0;
            return loads.getOrDefault(host, 0.0) - own;
        }

        /** Load of these servers above their due. */
        private double excess(Actor actor, List<ServerId> hosts, double[] shares) {
            double excess = 0;
            for (int j = 0; j < shares.length; j++) {
                ServerId host = hosts.get(j);
                double load = others(actor, host) + load(actor) * shares[j];
                excess += Math.max(0, load - mean * server(host).weight());
            }
            return excess;
        }

        /** Highest relative load of these servers. */
        private double highest(Actor actor, List<ServerId> hosts, double[] shares) {
            double highest = 0;
            for (int j = 0; j < shares.length; j++) {
                ServerId host = hosts.get(j);
                double load = others(actor, host) + load(actor) * shares[j];
                highest = Math.max(highest, load / server(host).weight());
            }
            return highest;
        }
    }

    private static double megabytes(long bytes) {
        return bytes / 1e6;
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
