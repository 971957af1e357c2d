package io.uniserve.cli.status;

import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import java.util.Map;
import java.util.TreeMap;

/** States of one table's actors, {@code ok} or the problem, as in {@code status}. */
public final class ActorStateTexts {
    private final Map<Integer, String> states;
    private final String defaultState;

    private ActorStateTexts(Map<Integer, String> states, String otherwise) {
        this.states = states;
        this.defaultState = otherwise;
    }

    /** Requests the status; if that fails, all states are unknown. */
    public static ActorStateTexts of(ClusterClient cluster, TableName table) {
        try {
            ClusterReport report = ClusterReport.of(cluster.status());
            Map<Integer, String> states = new TreeMap<>();
            report.tables().stream()
                    .filter(one -> one.meta().name().equals(table))
                    .flatMap(one -> one.actors().stream())
                    .forEach(actor ->
                            states.put(actor.state().actor(), state(actor, ClusterProblemCollector.isCurrent(report))));
            return new ActorStateTexts(states, "unknown: the coordinator does not report the actor");
        } catch (UniserveException e) {
            return new ActorStateTexts(Map.of(), "unknown: " + e.code() + " " + e.reason());
        }
    }

    private static String state(ClusterReport.Actor actor, boolean current) {
        if (!actor.health().isOk()) {
            return actor.health().problem().orElseThrow();
        }
        if (!current) {
            return "unknown: the coordinator has no contact with the registry";
        }
        return actor.replicaProblem().map(why -> "degraded: " + why).orElse("ok");
    }

    /** Returns the state of an actor. */
    public String of(int actor) {
        return states.getOrDefault(actor, defaultState);
    }
}
