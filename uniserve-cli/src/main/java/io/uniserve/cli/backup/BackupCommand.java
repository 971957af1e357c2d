package io.uniserve.cli.backup;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.TextTable;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.model.TableName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve backup}. */
@Command(
        name = "backup",
        description = {
            "Takes a backup of a table, which serves meanwhile, in durable storage; lists, checks and deletes backups.",
            "A backup remains when its table or cluster is deleted: restore creates a table from it."
        },
        footer = {
            "  uniserve backup speeches",
            "  uniserve backup speeches --name before-the-upgrade",
            "  uniserve backup --list",
            "  uniserve backup --verify before-the-upgrade",
            "  uniserve backup --delete before-the-upgrade"
        })
public final class BackupCommand extends ClientCommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "TABLE", description = "The table.")
    private @Nullable String table;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "The backup's name (default: TABLE-1, or the next number that is free).")
    private @Nullable String name;

    @Option(names = "--list", description = "List all backups.")
    private boolean list;

    @Option(names = "--verify", paramLabel = "NAME", description = "Read every object of a backup and check it.")
    private @Nullable String verify;

    @Option(names = "--delete", paramLabel = "NAME", description = "Delete a backup and what only it needs.")
    private @Nullable String delete;

    @Override
    public Integer call() throws Exception {
        int wanted = (table == null ? 0 : 1) + (list ? 1 : 0) + (verify == null ? 0 : 1) + (delete == null ? 0 : 1);
        if (wanted != 1) {
            throw usageError("give one of TABLE, --list, --verify and --delete");
        }
        if (name != null && table == null) {
            throw usageError("--name goes with TABLE: it names the backup to take");
        }
        try (ClusterClient cluster = connect()) {
            if (table != null) {
                takeBackup(cluster, new TableName(table));
            } else if (verify != null) {
                BackupName backup = new BackupName(verify);
                BackupProgressMonitor.run(
                        console(), clock(), cluster, "verify " + backup, backup, () -> cluster.verify(backup));
                printBackup("verified", backup, "backup " + backup + " is whole");
            } else if (delete != null) {
                BackupName backup = new BackupName(delete);
                BackupProgressMonitor.run(
                        console(), clock(), cluster, "delete " + backup, backup, () -> cluster.delete(backup));
                printBackup("deleted", backup, "deleted backup " + backup);
            } else {
                print(cluster.backups());
            }
        }
        return ExitCode.OK;
    }

    private void takeBackup(ClusterClient cluster, TableName of) throws Exception {
        BackupName backup = name == null ? unusedName(cluster, of) : new BackupName(name);
        BackupProgressMonitor.run(
                console(), clock(), cluster, "backup " + of, backup, () -> cluster.backup(of, backup));
        printBackup("backup", backup, "backup " + backup + " of table " + of + " is complete");
    }

    private static BackupName unusedName(ClusterClient cluster, TableName of) {
        cluster.table(of);
        TreeSet<String> taken = new TreeSet<>();
        cluster.backups().forEach(info -> taken.add(info.name()));
        for (int i = 1; i <= taken.size() + 1; i++) {
            if (!taken.contains(of + "-" + i)) {
                return new BackupName(of + "-" + i);
            }
        }
        throw new UniserveException(ErrorCode.INTERNAL, "no name is free");
    }

    private void printBackup(String key, BackupName backup, String text) {
        if (global().isJson()) {
            console().json(Map.of(key, backup.value()));
        } else {
            console().println(text);
        }
    }

    private void print(List<BackupInfo> backups) {
        if (global().isJson()) {
            console().json(backups.stream().map(BackupCommand::json).toList());
            return;
        }
        if (backups.isEmpty()) {
            console().println("no backups");
            return;
        }
        TextTable lines = new TextTable("NAME", "TABLE", "ACTORS", "STATE", "CHECKPOINTS", "ENTRIES");
        for (BackupInfo backup : backups) {
            lines.row(
                    backup.name().isEmpty() ? "-" : backup.name(),
                    backup.table().isEmpty() ? "-" : backup.table(),
                    backup.actors(),
                    state(backup),
                    (backup.bytes() + 1023) / 1024 + " KB",
                    backup.entries());
        }
        lines.print(console());
        backups.stream()
                .filter(backup -> !backup.detail().isEmpty())
                .forEach(backup -> console()
                        .println((backup.name().isEmpty() ? backup.id() : backup.name()) + ": " + backup.detail()));
    }

    private static String state(BackupInfo backup) {
        return backup.state().name().toLowerCase(Locale.ROOT);
    }

    private static Map<String, Object> json(BackupInfo backup) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("name", backup.name());
        object.put("id", backup.id());
        object.put("cluster", backup.cluster());
        object.put("table", backup.table());
        object.put("actors", backup.actors());
        object.put("state", state(backup));
        object.put("checkpoint_bytes", backup.bytes());
        object.put("entries", backup.entries());
        object.put("detail", backup.detail());
        return object;
    }
}
