package io.uniserve.cli.access;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.protocol.message.AdminReply.UserRoles;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code uniserve whoami}. */
@Command(
        name = "whoami",
        description = "Shows as which user the cluster sees this command, with the roles and limits of that user.",
        footer = {
            "  uniserve whoami",
            "  uniserve whoami --tls-trust trust.pem --tls-certificate ann.pem --tls-key ann.key"
        })
public final class WhoamiCommand extends ClientCommand {
    @Override
    public Integer call() {
        try (ClusterClient cluster = connect()) {
            UserRoles roles = cluster.grants("");
            if (global().isJson()) {
                Map<String, Object> object = new LinkedHashMap<>();
                object.put("user", roles.user());
                object.put("grants", GrantsCommand.json(roles.grants()));
                object.put("limits", LimitText.json(roles.limits()));
                console().json(object);
            } else if (roles.user().isEmpty()) {
                console()
                        .println(
                                "no user: the server that answered is in mode open, where everyone may do everything, or this is the"
                                        + " identity of a server or coordinator, which may do everything too");
            } else {
                console().println("user " + roles.user());
                roles.grants()
                        .forEach(grant -> console()
                                .println("  " + grant.role().text()
                                        + (grant.role().isOfTables() ? " of " + grant.tables() : "")));
                roles.limits()
                        .forEach(limit -> console()
                                .println("  limit of its role " + limit.role().text() + ": "
                                        + limit.kind().text() + " = " + limit.value()));
                if (roles.grants().isEmpty()) {
                    console()
                            .println("  no role: an admin grants one by uniserve grant " + roles.user()
                                    + " ROLE TABLES");
                }
            }
        }
        return ExitCode.OK;
    }
}
