package io.uniserve.cli.user;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.TextTable;
import io.uniserve.protocol.message.AdminReply.UserInfo;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code uniserve user list}. */
@Command(
        name = "list",
        description = "Lists the users with a password. Users with a certificate only are not known to the cluster.",
        footer = "  uniserve user list -o json")
final class UserListCommand extends ClientCommand {
    @Override
    public Integer call() {
        List<UserInfo> users;
        try (ClusterClient cluster = connect()) {
            users = cluster.users();
        }
        if (global().isJson()) {
            console()
                    .json(Map.of(
                            "users",
                            users.stream()
                                    .map(user -> Map.of("user", user.name(), "iterations", user.iterations()))
                                    .toList()));
            return ExitCode.OK;
        }
        TextTable table = new TextTable("USER", "ITERATIONS");
        users.forEach(user -> table.row(user.name(), Integer.toString(user.iterations())));
        table.print(console());
        return ExitCode.OK;
    }
}
