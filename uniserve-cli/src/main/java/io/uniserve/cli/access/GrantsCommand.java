package io.uniserve.cli.access;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.TextTable;
import io.uniserve.model.access.RoleGrant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code uniserve grants}. */
@Command(
        name = "grants",
        description = "Lists the roles of all users, or of one. Roles of other users are shown to admins.",
        footer = {"  uniserve grants", "  uniserve grants ann -o json"})
public final class GrantsCommand extends ClientCommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "USER", description = "The user (default: all).")
    private @Nullable String user;

    @Override
    public Integer call() {
        try (ClusterClient cluster = connect()) {
            List<RoleGrant> grants =
                    (user == null ? cluster.allGrants() : cluster.grants(RoleGrant.checkUser(user))).grants();
            if (global().isJson()) {
                console().json(Map.of("grants", json(grants)));
                return ExitCode.OK;
            }
            TextTable table = new TextTable("USER", "ROLE", "TABLES");
            grants.forEach(grant -> table.row(
                    grant.user(),
                    grant.role().text(),
                    grant.role().isOfTables() ? grant.tables().text() : "-"));
            table.print(console());
        }
        return ExitCode.OK;
    }

    static List<Map<String, String>> json(List<RoleGrant> grants) {
        return grants.stream()
                .map(grant -> Map.of(
                        "user", grant.user(),
                        "role", grant.role().text(),
                        "tables", grant.tables().text()))
                .toList();
    }
}
