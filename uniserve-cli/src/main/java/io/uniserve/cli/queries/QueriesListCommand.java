package io.uniserve.cli.queries;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.ServerNames;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.TextTable;
import io.uniserve.client.ServerQueries;
import io.uniserve.model.RunningQuery;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code uniserve queries list}. */
@Command(
        name = "list",
        description = {
            "Lists the work of each server, longest first: reads of actors by their operators, and plans of"
                    + " queries.",
            "STATE is queued, running, ending (cancelled, or past its deadline) or stuck (its engine does not"
                    + " return).",
            "Exit code 1 if a server did not answer."
        },
        footer = {"  uniserve queries list", "  uniserve queries list -o json"})
final class QueriesListCommand extends ClientCommand {
    private static final double NANOS_PER_SECOND = 1e9;

    @Override
    public Integer call() {
        try (ClusterClient cluster = connect()) {
            List<ServerQueries> servers = cluster.queries();
            if (global().isJson()) {
                console().json(servers.stream().map(QueriesListCommand::json).toList());
            } else {
                print(servers);
            }
            boolean whole = servers.stream().allMatch(server -> server.error().isEmpty());
            return whole ? ExitCode.OK : ExitCode.NOT_PASSED;
        }
    }

    private void print(List<ServerQueries> servers) {
        TextTable lines = new TextTable("ID", "SERVER", "TABLE", "CLIENT", "OPERATOR", "RUNNING", "STATE");
        List<String> more = new ArrayList<>();
        boolean any = false;
        for (ServerQueries server : servers) {
            String name = ServerNames.shortName(server.server());
            for (RunningQuery query : server.queries()) {
                any = true;
                lines.row(
                        Long.toHexString(query.id()),
                        name,
                        query.table(),
                        query.client().isEmpty() ? "-" : query.client(),
                        query.operator(),
                        "%.1f s".formatted(query.runningNanos() / NANOS_PER_SECOND),
                        query.state().name().toLowerCase(Locale.ROOT));
            }
            if (server.stuck() > 0) {
                more.add("server " + name + ": " + server.stuck() + " threads are stuck in operators");
            }
            server.error().ifPresent(error -> more.add("server " + name + " did not answer: " + error.reason()));
        }
        if (any) {
            lines.print(console());
        } else {
            console().println("no running queries");
        }
        more.forEach(console()::println);
    }

    private static Map<String, Object> json(ServerQueries server) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("server", server.server().value());
        object.put("stuck", server.stuck());
        object.put(
                "error",
                server.error()
                        .map(error -> error.code() + ": " + error.reason())
                        .orElse(""));
        object.put(
                "queries",
                server.queries().stream().map(QueriesListCommand::json).toList());
        return object;
    }

    private static Map<String, Object> json(RunningQuery query) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("id", Long.toHexString(query.id()));
        object.put("table", query.table());
        object.put("client", query.client());
        object.put("operator", query.operator());
        object.put("running_ms", query.runningNanos() / 1_000_000);
        object.put("state", query.state().name());
        return object;
    }
}
