package io.uniserve.placement.live;

import io.uniserve.model.ReplicaKey;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.CopyState;
import io.uniserve.placement.ReplicationLimits;
import io.uniserve.placement.ReplicationPolicy.CopyTraffic;
import io.uniserve.placement.model.Assignment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Filter of a policy's answer: what a running cluster permits of it. It keeps actors that must not move, engines, zones, and the bounds on
 * the number of an actor's replicas. It prefers existing replicas where it must choose.
 */
final class AnswerFilter {
    private final LiveProblem problem;
    private final ReplicationLimits limits;
    private final CopyTraffic measured;
    private final Assignment answer;
    private final TreeMap<ReplicaKey, String> findings = new TreeMap<>();

    /** Servers of the answer for actors that may have fewer. */
    private final TreeMap<Integer, TreeMap<Integer, Double>> divided = new TreeMap<>();

    private long bytesMoving;

    AnswerFilter(LiveProblem problem, ReplicationLimits limits, CopyTraffic measured, Assignment answer) {
        this.problem = problem;
        this.limits = limits;
        this.measured = measured;
        this.answer = answer;
        this.bytesMoving = measured.bytesMoving();
    }

    /** Reasons of actors whose number of replicas differs from the policy's answer, or that have automatic copies. */
    Map<ReplicaKey, String> findings() {
        return findings;
    }

    /** Servers and shares of every actor, hot actors first where a limit applies to all. */
    List<TreeMap<Integer, Double>> places() {
        List<TreeMap<Integer, Double>> all = new ArrayList<>();
        List<Integer> hottest = new ArrayList<>();
        for (int i = 0; i < problem.actors(); i++) {
            all.add(new TreeMap<>());
            hottest.add(i);
        }
        hottest.sort(Comparator.comparingDouble(i -> -problem.load().load(i)));
        for (int i : hottest) {
            all.set(i, places(i));
        }
        SplitRounding rounding = new SplitRounding(problem, all);
        for (int i : hottest) {
            TreeMap<Integer, Double> wanted = divided.get(i);
            if (wanted != null) {
                rounding.round(i, wanted.keySet());
            }
        }
        return all;
    }

    private TreeMap<Integer, Double> places(int i) {
        Actor actor = problem.actor(i);
        TreeMap<Integer, Double> now = LiveProblem.shares(problem.load().current(), i);
        if (!problem.isComplete(i) || !actor.movable()) {
            return now;
        }
        TreeMap<Integer, Double> wanted = LiveProblem.shares(answer, i);
        wanted.keySet().removeIf(server -> !now.containsKey(server) && !problem.offersPort(i, server));
        int count = count(i, now, wanted);
        Set<Integer> chosen = choose(i, now, wanted, count);
        if (problem.zones(chosen) < Math.min(problem.zones(now.keySet()), count)) {
            findings.put(actor.key(), "stays: its replicas would be in fewer zones");
            return now;
        }
        if (chosen.size() < wanted.size()) {
            divided.put(i, wanted);
        }
        return withShares(now, wanted, chosen);
    }

    private int count(int i, TreeMap<Integer, Double> now, TreeMap<Integer, Double> wanted) {
        CopyState copies = problem.actor(i).copies();
        int least = Math.max(1, copies.least());
        int has = now.size();
        boolean automatic = copies.automatic() > least && has > least;
        int most = copies.permitted() ? Math.max(least, limits.copiesMax()) : least;
        int asked = automatic ? Math.min(wanted.size(), most) : wanted.size();
        if (asked > has) {
            return has + growth(i, has, asked, wanted);
        }
        if (asked < has && automatic) {
            return Math.max(least, has - shrinkage(i, now, Math.max(least, asked), has > most));
        }
        if (automatic) {
            findings.put(problem.actor(i).key(), text("kept: the policy wants %d replicas", asked));
        }
        return has;
    }

    /** Number of permitted further replicas. */
    private int growth(int i, int has, int asked, TreeMap<Integer, Double> wanted) {
        Actor actor = problem.actor(i);
        CopyState copies = actor.copies();
        double queries = Math.min(copies.queryLoad(), copies.newestLoad());
        if (!copies.permitted()) {
            return refuse(i, asked, "the table has switched automatic copies off");
        }
        if (queries < limits.loadMin()) {
            return refuse(i, asked, text("its load of %.1f ms/s is below %.1f", queries, limits.loadMin()));
        }
        int granted = Math.min(asked, limits.copiesMax()) - has;
        if (granted <= 0) {
            return refuse(i, asked, "copies-max is " + limits.copiesMax());
        }
        long bytes = Math.max(0, copies.bytes());
        if (bytes + bytesMoving > limits.bytesMax()) {
            return refuse(
                    i,
                    asked,
                    text("its %.1f MB and %.1f MB of others exceed bytes-max", bytes / 1e6, bytesMoving / 1e6));
        }
        if (bytes > 0) {
            granted = (int) Math.min(granted, (limits.bytesMax() - bytesMoving) / bytes);
        }
        double smallest = wanted.values().stream().mapToDouble(s -> s).min().orElse(0);
        double gain = smallest * copies.queryLoad() * limits.horizonSeconds();
        ReplicationLimits.CopyCost each = limits.cost();
        double cost = each.copyMillis()
                + bytes / measured.bytesPerSecond() * each.transferMillisPerSecond()
                + Math.max(0, copies.updatesPerSecond()) * each.updateMillis() * limits.horizonSeconds();
        if (gain <= cost) {
            return refuse(
                    i,
                    asked,
                    text(
                            "a copy takes %.0f ms of queries in %.0f s and costs %.0f ms",
                            gain, limits.horizonSeconds(), cost));
        }
        if (!copies.growable()) {
            return refuse(i, asked, "it waits after a change");
        }
        if (has + granted < asked) {
            refuse(
                    i,
                    asked,
                    "copies-max is " + limits.copiesMax() + ", and bytes-max permits " + granted + " more now");
        }
        bytesMoving += bytes * granted;
        return granted;
    }

    private int refuse(int i, int asked, String why) {
        findings.put(problem.actor(i).key(), text("the policy wants %d replicas, but %s", asked, why));
        return 0;
    }

    /** Number of automatic copies to drop. One that the policy does not want stays until the actor is cold, so that copies do not oscillate. */
    private int shrinkage(int i, TreeMap<Integer, Double> now, int asked, boolean aboveMost) {
        Actor actor = problem.actor(i);
        int has = now.size();
        double strength =
                now.keySet().stream().mapToDouble(problem.load()::weight).sum();
        double due = problem.load().mean() * strength * (has - 1) / has;
        double cold = limits.shrinkBelow() * Math.max(due, limits.loadMin());
        if (!aboveMost && actor.copies().queryLoad() > cold) {
            findings.put(
                    actor.key(),
                    text(
                            "kept: its load is %.1f ms/s, it is cold at %.1f ms/s",
                            actor.copies().queryLoad(), cold));
            return 0;
        }
        if (!actor.copies().shrinkable()) {
            findings.put(actor.key(), text("kept for now: the policy wants %d replicas", asked));
            return 0;
        }
        return has - asked;
    }

    /** This many servers: those of the answer, existing replicas first, then other existing ones. */
    private Set<Integer> choose(int i, TreeMap<Integer, Double> now, TreeMap<Integer, Double> wanted, int count) {
        Comparator<Integer> best = Comparator.comparing((Integer server) -> !now.containsKey(server))
                .thenComparing(server -> -wanted.getOrDefault(server, 0.0))
                .thenComparing(server -> server);
        int primary = primary(i, now);
        Stream<Integer> others = now.keySet().stream()
                .filter(server -> !wanted.containsKey(server))
                .sorted(Comparator.comparing((Integer server) -> server != primary));
        List<Integer> order =
                Stream.concat(wanted.keySet().stream().sorted(best), others).toList();
        TreeSet<Integer> chosen = new TreeSet<>(order.subList(0, Math.min(count, order.size())));
        boolean isDropped = chosen.size() < now.size() && now.keySet().containsAll(chosen) && !chosen.contains(primary);
        if (isDropped && now.containsKey(primary)) { // a primary is never dropped: another replica goes instead
            chosen.stream().max(best).ifPresent(chosen::remove);
            chosen.add(primary);
        }
        return chosen;
    }

    private int primary(int i, TreeMap<Integer, Double> now) {
        return now.keySet().stream()
                .filter(server ->
                        problem.server(server).id().equals(problem.actor(i).primary()))
                .findFirst()
                .orElse(-1);
    }

    private static TreeMap<Integer, Double> withShares(
            TreeMap<Integer, Double> now, TreeMap<Integer, Double> wanted, Set<Integer> chosen) {
        TreeMap<Integer, Double> shares = new TreeMap<>();
        boolean asWanted = !wanted.isEmpty() && chosen.containsAll(wanted.keySet());
        for (int server : chosen) {
            shares.put(server, asWanted ? wanted.getOrDefault(server, 0.0) : 1.0 / chosen.size());
        }
        double sum = shares.values().stream().mapToDouble(s -> s).sum();
        if (chosen.equals(now.keySet()) && !asWanted) {
            return now;
        }
        shares.replaceAll((server, share) -> sum > 0 ? share / sum : 1.0 / chosen.size());
        return shares;
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
