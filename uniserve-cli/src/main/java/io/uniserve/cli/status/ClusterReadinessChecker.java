package io.uniserve.cli.status;

import io.uniserve.cli.ServerNames;
import io.uniserve.cli.status.ClusterReport.Actor;
import io.uniserve.cli.status.ClusterReport.Server;
import io.uniserve.cli.status.ClusterReport.Table;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.HealthProblem;
import java.util.ArrayList;
import java.util.List;

/**
 * Unmet conditions of readiness of a cluster or one server, by the coordinator and the reports of the servers. An unknown state counts as
 * unmet.
 */
final class ClusterReadinessChecker {
    private ClusterReadinessChecker() {}

    /**
     * Returns the unmet conditions of all servers and actors. {@code servers} is the expected number of live servers, 0 for at least one.
     */
    static List<String> missing(ClusterStatus status, int servers) {
        ClusterReport report = ClusterReport.of(status);
        List<String> missing = coordinator(report);
        int live = report.servers().size();
        if (live < servers) {
            missing.add(live + " of " + servers + " servers are live");
        }
        if (live == 0) {
            missing.add("no server is live: see the logs of servers that refuse this cluster's ZooKeeper");
        }
        report.servers().forEach(server -> server(report, server.record().id(), missing));
        for (Table table : report.tables()) {
            for (Actor actor : table.actors()) {
                // The conditions of live servers were added above.
                actor.replicas().stream()
                        .filter(replica -> !report.isLive(replica.server()))
                        .forEach(replica -> missing.add(name(table, actor) + ": its server "
                                + ServerNames.shortName(replica.server()) + " is not live"));
                int copies = Math.max(
                        table.meta().rf(), actor.state().desiredServers().size());
                if (actor.state().isr().size() < copies) {
                    missing.add(name(table, actor) + " has "
                            + actor.state().isr().size() + " of " + copies + " replicas in sync");
                }
            }
        }
        return missing;
    }

    /** Returns the unmet conditions of one server. */
    static List<String> missing(ClusterStatus status, ServerId server) {
        ClusterReport report = ClusterReport.of(status);
        List<String> missing = coordinator(report);
        if (report.isLive(server)) {
            server(report, server, missing);
        } else {
            missing.add(ServerNames.shortName(server) + " is not live");
        }
        return missing;
    }

    private static List<String> coordinator(ClusterReport report) {
        List<String> missing = new ArrayList<>();
        report.problems().stream()
                .filter(problem -> problem.severity().blocksReadiness())
                .forEach(problem -> missing.add("coordinator: " + problem.object() + ": " + problem.text()));
        return missing;
    }

    private static void server(ClusterReport report, ServerId id, List<String> missing) {
        String brief = ServerNames.shortName(id);
        Server server = report.servers().stream()
                .filter(one -> one.record().id().equals(id))
                .findFirst()
                .orElseThrow();
        if (server.load().isEmpty()) {
            missing.add(brief + " does not answer the coordinator");
            return;
        }
        for (HealthProblem problem : server.problems()) {
            if (problem.severity().blocksReadiness()) {
                missing.add(brief + ": " + problem.object() + ": " + problem.text());
            }
        }
        for (Table table : report.tables()) {
            for (Actor actor : table.actors()) {
                if (actor.state().isr().contains(id)) {
                    actor.replicas().stream()
                            .filter(replica -> replica.server().equals(id))
                            .flatMap(replica -> replica.health().problem().stream())
                            .forEach(lacks -> missing.add(name(table, actor) + " " + lacks));
                } else if (actor.state().hasReplicaOn(id)
                        || actor.state().desiredServers().contains(id)) {
                    missing.add(name(table, actor) + " is not in sync yet on " + brief);
                }
            }
        }
    }

    private static String name(Table table, Actor actor) {
        return table.meta().name() + "/" + actor.state().actor();
    }
}
