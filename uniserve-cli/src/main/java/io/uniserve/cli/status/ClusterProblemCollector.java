package io.uniserve.cli.status;

import io.uniserve.cli.ServerNames;
import io.uniserve.cli.status.ClusterReport.Server;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.HealthProblem.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Problems of a cluster: those of the coordinator, of each server and of each table. */
final class ClusterProblemCollector {
    private ClusterProblemCollector() {}

    /** Returns the problems, the worst first. */
    static List<HealthProblem> of(ClusterReport report) {
        List<HealthProblem> problems = new ArrayList<>();
        if (report.coordinator() == null) {
            problems.add(new HealthProblem(Severity.UNKNOWN, "coordinator", "there is no known leader"));
        }
        report.problems().forEach(problem -> problems.add(of("coordinator", problem)));
        if (report.servers().isEmpty()) {
            problems.add(new HealthProblem(Severity.ERROR, "servers", "no server is live"));
        }
        for (Server server : report.servers()) {
            String name = "server " + ServerNames.shortName(server.record().id());
            if (server.load().isEmpty()) {
                problems.add(new HealthProblem(
                        Severity.UNKNOWN, name, server.health().reason()));
            }
            server.problems().forEach(problem -> problems.add(of(name, problem)));
        }
        report.tables()
                .forEach(table ->
                        TableHealth.of(table, isCurrent(report)).problem(table).ifPresent(problems::add));
        problems.sort(Comparator.comparing(HealthProblem::severity).reversed());
        return problems;
    }

    /** False if the coordinator may have an old map. */
    static boolean isCurrent(ClusterReport report) {
        return report.problems().stream()
                .noneMatch(problem -> problem.severity().blocksReadiness());
    }

    /** True if there is a problem worse than a warning: an actor is not served, a state is unknown, or an operation fails. */
    static boolean hasFailure(ClusterReport report) {
        return of(report).stream().anyMatch(problem -> problem.severity() != Severity.WARNING);
    }

    private static HealthProblem of(String daemon, HealthProblem problem) {
        return new HealthProblem(problem.severity(), daemon + ", " + problem.object(), problem.text());
    }
}
