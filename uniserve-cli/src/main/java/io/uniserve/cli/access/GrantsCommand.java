package io.uniserve.cli.access;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.TextTable;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.protocol.message.AdminReply.UserRoles;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code uniserve grants}. */
@Command(
        name = "grants",
        description = {
            "Lists the roles of all users, or of one. Roles of other users are shown to admins.",
            "Without a user it also lists the limits of roles and the revoked certificates and identities."
        },
        footer = {"  uniserve grants", "  uniserve grants ann -o json"})
public final class GrantsCommand extends ClientCommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "USER", description = "The user (default: all).")
    private @Nullable String user;

    @Override
    public Integer call() {
        try (ClusterClient cluster = connect()) {
            UserRoles roles = user == null ? cluster.allGrants() : cluster.grants(RoleGrant.checkUser(user));
            List<RoleGrant> grants = roles.grants();
            if (global().isJson()) {
                Map<String, Object> object = new LinkedHashMap<>();
                object.put("grants", json(grants));
                object.put(
                        "revocations",
                        roles.revocations().stream().map(Revocation::subject).toList());
                object.put("limits", LimitText.json(roles.limits()));
                console().json(object);
                return ExitCode.OK;
            }
            TextTable table = new TextTable("USER", "ROLE", "TABLES");
            grants.forEach(grant -> table.row(
                    grant.user(),
                    grant.role().text(),
                    grant.role().isOfTables() ? grant.tables().text() : "-"));
            table.print(console());
            roles.limits()
                    .forEach(limit -> console()
                            .println("limit of role " + limit.role().text() + ": "
                                    + limit.kind().text() + " = " + limit.value()));
            roles.revocations().forEach(revocation -> console().println("revoked: " + revocation));
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
