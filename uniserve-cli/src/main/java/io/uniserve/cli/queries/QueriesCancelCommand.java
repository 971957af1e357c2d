package io.uniserve.cli.queries;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RunningQuery;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code uniserve queries cancel}. */
@Command(
        name = "cancel",
        description = {
            "Cancels queries by their ids: they fail with CANCELLED.",
            "Cancelling a part cancels the whole query. An engine that cannot be stopped continues; the query's client"
                    + " gets its error at once."
        },
        footer = "  uniserve queries cancel 5f3a77c0912be4d1")
final class QueriesCancelCommand extends ClientCommand {
    private static final int HEX = 16;

    @Parameters(arity = "1..*", paramLabel = "ID", description = "Ids of queries, as list shows them.")
    private List<String> ids = List.of();

    @Override
    public Integer call() {
        List<Long> numbers = ids.stream().map(QueriesCancelCommand::number).toList();
        try (ClusterClient cluster = connect()) {
            for (long number : numbers) {
                RunningQuery cancelled = cluster.cancelQuery(number);
                if (global().isJson()) {
                    console().json(Map.of("cancelled", Long.toHexString(number), "table", cancelled.table()));
                } else {
                    console()
                            .println("cancelled " + Long.toHexString(number) + ": " + cancelled.operator()
                                    + " on table " + cancelled.table());
                }
            }
        }
        return ExitCode.OK;
    }

    private static long number(String id) {
        try {
            return Long.parseUnsignedLong(id, HEX);
        } catch (NumberFormatException e) {
            throw UniserveException.invalid("ID \"" + id + "\": use up to 16 hexadecimal digits, as list shows them");
        }
    }
}
