package io.uniserve.placement.live;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.CoAccessedActors;
import io.uniserve.placement.LiveCluster.Server;
import io.uniserve.placement.check.PlacementChecker;
import io.uniserve.placement.check.PlacementProperties;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ClusterLoadBuilder;
import io.uniserve.placement.model.ShardSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Running cluster as a placement problem of whole actors: an actor's load is that of all its replicas, and a replica's share is its part of
 * it. So a policy may change the number of replicas and the shares. Memory is unlimited. The rf is the least number that any actor requires;
 * {@link AnswerFilter} keeps the replicas of actors that require more.
 *
 * <p>Actors without a replica on a server that takes part are left out: their repair comes first.
 */
final class LiveProblem {
    private static final Pattern NUMBERED = Pattern.compile("\\b(server|actor) (\\d{1,9})\\b");

    private final LiveCluster cluster;
    private final LiveNames names;
    private final List<Actor> actors = new ArrayList<>();
    private final TreeMap<ServerId, Integer> servers = new TreeMap<>();
    private final TreeMap<ReplicaKey, Integer> numbers = new TreeMap<>();
    private final ClusterLoad load;

    LiveProblem(LiveCluster cluster, double tolerance, LiveNames names) {
        this.cluster = cluster;
        this.names = names;
        for (Server server : cluster.servers()) {
            servers.put(server.id(), servers.size());
        }
        for (Actor actor : cluster.actors()) {
            if (actor.hosts().stream().anyMatch(servers::containsKey)) {
                numbers.put(actor.key(), actors.size());
                actors.add(actor);
            }
        }
        double[] capacity = new double[servers.size()];
        Arrays.fill(capacity, actors.size());
        load = new ClusterLoadBuilder(
                        actors.stream().mapToDouble(this::totalLoad).toArray(), capacity)
                .weights(cluster.servers().stream().mapToDouble(Server::weight).toArray())
                .zones(zones())
                .sets(sets())
                .current(assignmentOf(cluster))
                .eps(tolerance)
                .rf(actors.stream()
                        .mapToInt(actor -> Math.max(1, actor.copies().least()))
                        .min()
                        .orElse(1))
                .build();
    }

    ClusterLoad load() {
        return load;
    }

    /** False if nothing can move or be copied. */
    boolean hasChoice() {
        return !actors.isEmpty() && servers.size() > 1;
    }

    int actors() {
        return actors.size();
    }

    Actor actor(int number) {
        return actors.get(number);
    }

    Server server(int number) {
        return cluster.servers().get(number);
    }

    /** Number of an actor in the problem, null if it is left out. */
    @Nullable
    Integer number(ReplicaKey key) {
        return numbers.get(key);
    }

    /** True if all replicas of the actor are on servers that take part. */
    boolean isComplete(int actor) {
        return servers.keySet().containsAll(actors.get(actor).hosts());
    }

    boolean offersPort(int actor, int server) {
        return server(server).ports().contains(actors.get(actor).port());
    }

    /** Servers of an actor with the share of each. */
    static TreeMap<Integer, Double> shares(Assignment placement, int actor) {
        TreeMap<Integer, Double> shares = new TreeMap<>();
        for (int p = 0; p < placement.replicas(actor); p++) {
            shares.put(placement.server(actor, p), placement.share(actor, p));
        }
        return shares;
    }

    /** Assignment of these places, one map of shares per actor. */
    static Assignment assignment(List<TreeMap<Integer, Double>> places) {
        int[][] hosts = new int[places.size()][];
        double[][] shares = new double[places.size()][];
        for (int i = 0; i < hosts.length; i++) {
            hosts[i] = places.get(i).keySet().stream().mapToInt(j -> j).toArray();
            shares[i] = places.get(i).values().stream().mapToDouble(s -> s).toArray();
        }
        return Assignment.of(hosts, shares);
    }

    /** Places of the same actors in another state of the cluster. */
    Assignment assignmentOf(LiveCluster other) {
        List<TreeMap<Integer, Double>> places = new ArrayList<>();
        actors.forEach(actor -> places.add(new TreeMap<>()));
        for (Actor actor : other.actors()) {
            Integer number = numbers.get(actor.key());
            if (number != null) {
                places.set(number, sharesOf(actor));
            }
        }
        return assignment(places);
    }

    /** Evaluation of a placement that would replace the current one. */
    PlacementProperties check(Assignment after) {
        return PlacementChecker.check(load, after);
    }

    /** Load of each server under a placement. */
    double[] loads(List<TreeMap<Integer, Double>> places) {
        double[] sums = new double[servers.size()];
        for (int i = 0; i < places.size(); i++) {
            double own = load.load(i);
            places.get(i).forEach((server, share) -> sums[server] += own * share);
        }
        return sums;
    }

    /** Number of zones of these servers. */
    long zones(Iterable<Integer> hosts) {
        List<Integer> found = new ArrayList<>();
        hosts.forEach(host -> found.add(load.zone(host)));
        return found.stream().distinct().count();
    }

    /** The text with names in place of the numbers of servers and actors. */
    String named(String text) {
        return NUMBERED.matcher(text).replaceAll(match -> {
            int number = Integer.parseInt(match.group(2));
            if (match.group(1).equals("server")) {
                String name = number < servers.size()
                        ? names.server().apply(server(number).id())
                        : match.group(2);
                return Matcher.quoteReplacement("server " + name);
            }
            String name = number < actors.size()
                    ? names.actor().apply(actors.get(number).key())
                    : match.group(2);
            return Matcher.quoteReplacement("actor " + name);
        });
    }

    List<String> named(List<String> texts) {
        return texts.stream().map(this::named).toList();
    }

    private double totalLoad(Actor actor) {
        return actor.hosts().stream()
                .filter(servers::containsKey)
                .mapToDouble(actor::loadOn)
                .sum();
    }

    private TreeMap<Integer, Double> sharesOf(Actor actor) {
        TreeMap<Integer, Double> shares = new TreeMap<>();
        double sum = 0;
        for (ServerId host : actor.hosts()) {
            Integer server = servers.get(host);
            if (server != null) {
                shares.put(server, Math.max(0, actor.loadOn(host)));
                sum += Math.max(0, actor.loadOn(host));
            }
        }
        double total = sum;
        shares.replaceAll((server, part) -> total > 0 ? part / total : 1.0 / shares.size());
        return shares;
    }

    private int[] zones() {
        Map<String, Integer> known = new TreeMap<>();
        return cluster.servers().stream()
                .mapToInt(server -> {
                    Integer next = known.size();
                    Integer zone = known.putIfAbsent(server.zone(), next);
                    return zone == null ? next : zone;
                })
                .toArray();
    }

    private List<ShardSet> sets() {
        List<ShardSet> sets = new ArrayList<>();
        for (CoAccessedActors together : cluster.coAccessedActors()) {
            int[] members = together.actors().stream()
                    .filter(numbers::containsKey)
                    .mapToInt(key -> numbers.getOrDefault(key, -1))
                    .distinct()
                    .toArray();
            if (members.length > 0) {
                sets.add(new ShardSet(together.perSecond(), members));
            }
        }
        return sets;
    }
}
