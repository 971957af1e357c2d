package io.uniserve.cli.access;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleLimit;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code uniserve limit}. */
@Command(
        name = "limit",
        description = {
            "Limits the requests of each user with a role, in a cluster in mode closed. Each server counts for itself. All apply it"
                    + " within two seconds.",
            "queries: queries and reads at the same time. memory: bytes of results at the same time, such as 256MiB. deadline:"
                    + " time of one query, such as 30s. rows: rows of an answer. updates: rows of updates per second.",
            "A user with several roles has the limit of the one that permits most: a role without a limit permits any number."
        },
        footer = {
            "  uniserve limit reader queries 8",
            "  uniserve limit reader deadline 30s",
            "  uniserve limit reader memory 256MiB",
            "  uniserve limit writer updates 10000",
            "  uniserve limit reader queries none"
        })
public final class LimitCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "ROLE", description = "reader, writer or admin.")
    private Role role = Role.READER;

    @Parameters(index = "1", paramLabel = "LIMIT", description = "queries, memory, deadline, rows or updates.")
    private LimitKind kind = LimitKind.QUERIES;

    @Parameters(index = "2", paramLabel = "VALUE", description = "The most that is permitted, or none.")
    private String text = "";

    @Override
    public Integer call() {
        long value = LimitText.parse(kind, text);
        if (value > 0) {
            RoleLimit.check(role, kind, value);
        }
        try (ClusterClient cluster = connect()) {
            cluster.changeLimit(role, kind, value);
        }
        String shown = value == 0 ? "none" : LimitText.format(kind, value);
        if (global().isJson()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("role", role.text());
            object.put("limit", kind.text());
            object.put("value", value == 0 ? null : value);
            console().json(object);
        } else {
            console().println("limit of role " + role.text() + ": " + kind.text() + " " + shown);
        }
        return ExitCode.OK;
    }
}
