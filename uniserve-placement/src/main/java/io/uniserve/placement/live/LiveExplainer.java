package io.uniserve.placement.live;

import io.uniserve.model.ReplicaKey;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.Server;
import io.uniserve.placement.ReplicationPolicy.AddCopies;
import io.uniserve.placement.ReplicationPolicy.Change;
import io.uniserve.placement.ReplicationPolicy.DropCopy;
import io.uniserve.placement.ReplicationPolicy.SetWeights;
import io.uniserve.placement.explain.Explainer;
import io.uniserve.placement.explain.Explanation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** Explainer of the places of an actor of a running cluster. Thread-safe. */
public final class LiveExplainer {
    private final LiveCluster cluster;
    private final LiveNames names;
    private final LiveProblem problem;

    /**
     * Explains the present places of a cluster's actors.
     *
     * @param tolerance part of its fair share by which a server's load may differ
     */
    public LiveExplainer(LiveCluster cluster, double tolerance, LiveNames names) {
        this.cluster = cluster;
        this.names = names;
        this.problem = new LiveProblem(cluster, tolerance, names);
    }

    /**
     * Load of a server.
     *
     * @param load in milliseconds of CPU per second
     * @param relative part of its fair share; 1 is balanced, 0 if nothing has load
     * @param obstacle constraint that forbids a replica of the actor on it; empty for none
     */
    public record ServerState(Server server, double load, double relative, String obstacle) {}

    /** Returns all servers that take part, with the constraint that keeps the actor away from each. */
    public List<ServerState> servers(ReplicaKey key) {
        List<TreeMap<Integer, Double>> places = new ArrayList<>();
        for (int i = 0; i < problem.actors(); i++) {
            places.add(LiveProblem.shares(problem.load().current(), i));
        }
        double[] loads = problem.loads(places);
        List<ServerState> states = new ArrayList<>();
        for (int j = 0; j < loads.length; j++) {
            double due = problem.load().mean() * problem.load().weight(j);
            states.add(new ServerState(problem.server(j), loads[j], due > 0 ? loads[j] / due : 0, obstacle(key, j)));
        }
        return states;
    }

    private String obstacle(ReplicaKey key, int server) {
        Integer number = problem.number(key);
        if (number == null) {
            return "";
        }
        Server target = problem.server(server);
        Actor actor = problem.actor(number);
        if (actor.hosts().contains(target.id())) {
            return "hosts it";
        }
        if (!problem.offersPort(number, server)) {
            return "does not offer port " + actor.port();
        }
        long zones = problem.zones(
                LiveProblem.shares(problem.load().current(), number).keySet());
        boolean zoneTaken = cluster.servers().stream()
                .anyMatch(other ->
                        actor.hosts().contains(other.id()) && other.zone().equals(target.zone()));
        return zones > 1 && zoneTaken ? "zone " + target.zone() + " has a replica: only that one may move here" : "";
    }

    /** Returns facts about the actor, its replicas, and its alternatives. Empty if no replica is on a server that takes part. */
    public Explanation explain(ReplicaKey key) {
        Integer number = problem.number(key);
        if (number == null) {
            return new Explanation(0, List.of("no replica is on a server that takes part"), List.of(), List.of());
        }
        Explanation found = new Explainer(problem.load(), problem.load().current()).explain(number);
        List<String> facts = new ArrayList<>();
        double total = 0;
        for (int i = 0; i < problem.actors(); i++) {
            total += problem.load().load(i);
        }
        double mean = total / Math.max(1, problem.load().servers());
        facts.add(text(
                "load %.4g ms of CPU per second, %.2f times the mean of the servers",
                problem.load().load(number), mean > 0 ? problem.load().load(number) / mean : 0));
        // The first fact of a problem has its memory, which a running cluster does not limit.
        facts.addAll(problem.named(found.facts().subList(1, found.facts().size())));
        return new Explanation(number, facts, problem.named(found.hosts()), problem.named(found.others()));
    }

    /** Returns what a plan does with the actor, and why it stays otherwise. One sentence each. */
    public List<String> verdict(ReplicaKey key, LivePlan plan) {
        List<String> told = new ArrayList<>();
        plan.moves().stream()
                .filter(move -> move.key().equals(key))
                .forEach(move -> told.add(text(
                        "it would move from %s to %s: %s",
                        names.server().apply(move.from()), names.server().apply(move.to()), move.reason())));
        plan.copies().stream().filter(change -> change.key().equals(key)).forEach(change -> told.add(text(change)));
        if (told.isEmpty()) {
            told.add("it stays: " + whyStays(key, plan));
        }
        plan.findings().stream()
                .filter(finding -> finding.key().equals(key))
                .forEach(finding -> told.add(finding.reason()));
        return told;
    }

    private String text(Change change) {
        if (change instanceof AddCopies add) {
            return "it would get a copy on "
                    + String.join(
                            ", ", add.targets().stream().map(names.server()).toList()) + ": " + add.reason();
        }
        if (change instanceof DropCopy drop) {
            return "its copy on " + names.server().apply(drop.source()) + " would be dropped: " + drop.reason();
        }
        List<String> shares = new ArrayList<>();
        ((SetWeights) change)
                .weights()
                .forEach((server, share) ->
                        shares.add(text("%s %.0f%%", names.server().apply(server), 100 * share)));
        return "its queries would be shared: " + (shares.isEmpty() ? "equally" : String.join(", ", shares)) + ": "
                + change.reason();
    }

    private String whyStays(ReplicaKey key, LivePlan plan) {
        Integer number = problem.number(key);
        if (!plan.isTaken()) {
            return "the plan is " + plan.status() + ": " + String.join("; ", plan.reasons());
        }
        if (number == null || !problem.isComplete(number)) {
            return "a replica is on a server that is drained or not live, and its repair comes first";
        }
        if (!problem.actor(number).movable()) {
            return "a replica moves, learns or is missing";
        }
        if (plan.before().isBalanced(problem.load().servers())) {
            return text(
                    "every server is within its tolerance, %.0f%% to %.0f%% of its due",
                    100 * plan.before().leastLoad(), 100 * plan.before().largestLoad());
        }
        return plan.isEmpty()
                ? "no change of any actor is worth its cost"
                : "changes of other actors bring more, and the plan needs none of this one";
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
