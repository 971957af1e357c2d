package io.uniserve.cli.status;

import io.uniserve.cli.ServerNames;
import io.uniserve.cli.status.ClusterReport.Server;
import io.uniserve.protocol.message.Problem;
import io.uniserve.protocol.message.Problem.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** All problems of a cluster: those of the coordinator, of each server and of each table. */
final class ClusterProblems {
    private ClusterProblems() {}

    /** The worst first. */
    static List<Problem> of(ClusterReport report) {
        List<Problem> problems = new ArrayList<>();
        if (report.coordinator() == null) {
            problems.add(new Problem(Severity.UNKNOWN, "coordinator", "none is known to lead"));
        }
        report.problems().forEach(problem -> problems.add(of("coordinator", problem)));
        if (report.servers().isEmpty()) {
            problems.add(new Problem(Severity.ERROR, "servers", "no server is live"));
        }
        for (Server server : report.servers()) {
            String name = "server " + ServerNames.brief(server.record().id());
            if (server.load().isEmpty()) {
                problems.add(new Problem(Severity.UNKNOWN, name, server.health().reason()));
            }
            server.problems().forEach(problem -> problems.add(of(name, problem)));
        }
        report.tables()
                .forEach(table ->
                        TableState.of(table, current(report)).problem(table).ifPresent(problems::add));
        problems.sort(Comparator.comparing(Problem::severity).reversed());
        return problems;
    }

    /** False where the coordinator may know an old map. */
    static boolean current(ClusterReport report) {
        return report.problems().stream()
                .noneMatch(problem -> problem.severity().unready());
    }

    /** True where something is not served, not known, or fails that an operator relies on. */
    static boolean failed(ClusterReport report) {
        return of(report).stream().anyMatch(problem -> problem.severity() != Severity.WARNING);
    }

    private static Problem of(String daemon, Problem problem) {
        return new Problem(problem.severity(), daemon + ", " + problem.object(), problem.text());
    }
}
