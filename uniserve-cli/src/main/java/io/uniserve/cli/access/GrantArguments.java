package io.uniserve.cli.access;

import io.uniserve.cli.ClientCommand;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.TablePattern;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** Command with a rule as its arguments. */
abstract class GrantArguments extends ClientCommand {
    @Parameters(index = "0", paramLabel = "USER", description = "Name of the user, as in its certificate or login.")
    private String user = "";

    @Parameters(
            index = "1",
            paramLabel = "ROLE",
            description = "reader or writer of tables; or admin, operator or monitor of the cluster.")
    private Role role = Role.READER;

    @Parameters(
            index = "2",
            arity = "0..1",
            paramLabel = "TABLES",
            description = "Tables of a reader or writer: a name, the start of names and *, or * for all.")
    private @Nullable String tables;

    /** The rule; INVALID_ARGUMENT if an argument is malformed, a usage error if reader or writer lack tables. */
    RoleGrant grant() {
        if (tables == null && role.isOfTables()) {
            throw usageError("role " + role.text() + " is of tables: give a name, a pattern such as logs-*, or *");
        }
        return new RoleGrant(user, role, tables == null ? TablePattern.ALL : new TablePattern(tables));
    }

    void print(RoleGrant grant, boolean granted) {
        if (global().isJson()) {
            console()
                    .json(Map.of(
                            "user", grant.user(),
                            "role", grant.role().text(),
                            "tables", grant.tables().text(),
                            "granted", granted));
        } else {
            console().println((granted ? "granted " : "revoked ") + grant);
        }
    }
}
