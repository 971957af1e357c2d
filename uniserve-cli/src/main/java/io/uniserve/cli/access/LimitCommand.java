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
            "concurrent-queries: queries and reads at the same time. result-bytes: bytes of results at the same time, such as"
                    + " 256MiB. deadline-ms: milliseconds of one query, or a duration such as 30s.",
            "answer-rows: rows of an answer. update-rows-per-second: rows of updates per second.",
            "A user with several roles has the limit of the one that permits most: a role without a limit permits any number."
        },
        footer = {
            "  uniserve limit reader concurrent-queries 8",
            "  uniserve limit reader deadline-ms 30s",
            "  uniserve limit reader result-bytes 256MiB",
            "  uniserve limit writer update-rows-per-second 10000",
            "  uniserve limit reader concurrent-queries none"
        })
public final class LimitCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "ROLE", description = "reader, writer or admin.")
    private Role role = Role.READER;

    @Parameters(
            index = "1",
            paramLabel = "LIMIT",
            converter = LimitKindConverter.class,
            description = "concurrent-queries, result-bytes, deadline-ms, answer-rows or update-rows-per-second.")
    private LimitKind kind = LimitKind.CONCURRENT_QUERIES;

    @Parameters(
            index = "2",
            paramLabel = "VALUE",
            description = "The most that is permitted, in the unit of the limit's name, or none.")
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
        if (global().isJson()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("role", role.text());
            object.put("limit", kind.text());
            object.put("value", value == 0 ? null : value);
            console().json(object);
        } else {
            console()
                    .println("limit of role " + role.text() + ": " + kind.text() + " = "
                            + (value == 0 ? "none" : value));
        }
        return ExitCode.OK;
    }
}
