package io.uniserve.cli.access;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.access.Right;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.registry.AccessRules;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code uniserve can}. */
@Command(
        name = "can",
        description = "Says whether a user has a right, by the newest rules. Exit code 0: yes, 1: no.",
        footer = {"  uniserve can ann write logs-2026", "  uniserve can eve operate"})
public final class CanCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "USER", description = "The user.")
    private String user = "";

    @Parameters(
            index = "1",
            paramLabel = "ACTION",
            description = "read, write or describe a table; or monitor, operate or administer the cluster.")
    private Right right = Right.READ;

    @Parameters(index = "2", arity = "0..1", paramLabel = "TABLE", description = "The table.")
    private @Nullable String table;

    @Override
    public Integer call() {
        if (right.isOfTable() == (table == null)) {
            throw usageError(
                    right.isOfTable()
                            ? "this right is of a table: give its name"
                            : "this right is of the cluster: give no table");
        }
        Optional<TableName> name = Optional.ofNullable(table).map(TableName::new);
        try (ClusterClient cluster = connect()) {
            if (cluster.grants("").user().isEmpty()) {
                throw UniserveException.unsupported(
                        "the caller is no user: the cluster is in mode open, where everyone may do everything, or this is"
                                + " the identity of a server; set security.mode = closed, and call as a user");
            }
            boolean can =
                    new AccessRules(cluster.grants(RoleGrant.checkUser(user)).grants()).permits(user, right, name);
            if (global().isJson()) {
                console().json(Map.of("user", user, "can", can));
            } else {
                console().println(can ? "yes" : "no");
            }
            return can ? ExitCode.OK : ExitCode.NOT_PASSED;
        }
    }
}
