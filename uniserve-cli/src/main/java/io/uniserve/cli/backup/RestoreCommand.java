package io.uniserve.cli.backup;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMeta;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve restore}. */
@Command(
        name = "restore",
        description = {
            "Creates a table from a backup; returns when all its actors serve.",
            "--all is for a new cluster with the name and durable storage of a lost one: it restores"
                    + " every table that was backed up continuously, each from a backup lost-TABLE-NUMBER that it creates from"
                    + " it and that can be deleted afterwards. No process of the lost cluster may still run."
        },
        footer = {"  uniserve restore before-the-upgrade --as speeches2", "  uniserve restore --all"})
public final class RestoreCommand extends ClientCommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "The backup.")
    private @Nullable String name;

    @Option(names = "--as", paramLabel = "TABLE", description = "The name of the new table.")
    private @Nullable String as;

    @Option(names = "--all", description = "Restore every table of a lost cluster.")
    private boolean all;

    @Override
    public Integer call() throws Exception {
        if (all == (name != null)) {
            throw usageError("give a backup's NAME, or --all");
        }
        if (all == (as != null)) {
            throw usageError(all ? "--all restores tables under their own names: leave out --as" : "give --as TABLE");
        }
        try (ClusterClient cluster = connect()) {
            if (name != null && as != null) {
                restore(cluster, new BackupName(name), new TableName(as));
                return ExitCode.OK;
            }
            return restoreAll(cluster);
        }
    }

    private void restore(ClusterClient cluster, BackupName backup, TableName table) throws Exception {
        BackupProgressMonitor.run(
                console(), clock(), cluster, "restore " + table, backup, () -> cluster.restore(backup, table));
        TableRoute made = cluster.table(table);
        if (global().isJson()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("restored", table.value());
            object.put("backup", backup.value());
            object.put("actors", made.map().actors().size());
            console().json(object);
        } else {
            console()
                    .println("restored table " + table + " from backup " + backup + ", "
                            + made.map().actors().size() + " actors");
        }
    }

    /** Restores all lost tables. If one cannot be restored, the others still are. */
    private int restoreAll(ClusterClient cluster) throws Exception {
        List<TableMeta> lost = cluster.lostTables();
        if (lost.isEmpty()) {
            console().println("durable storage has no table that this cluster does not have");
        }
        List<UniserveException> failures = new ArrayList<>();
        for (TableMeta table : lost) {
            try {
                restoreOne(cluster, table);
            } catch (UniserveException e) {
                failures.add(e);
                console().err().println("table " + table.name() + " is not restored: " + e.getMessage());
            }
        }
        if (!failures.isEmpty()) {
            UniserveException first = failures.get(0);
            throw new UniserveException(
                    first.code(), failures.size() + " of " + lost.size() + " tables are not restored", first);
        }
        return ExitCode.OK;
    }

    private void restoreOne(ClusterClient cluster, TableMeta table) throws Exception {
        if (cluster.tables().stream().anyMatch(route -> route.meta().name().equals(table.name()))) {
            throw new UniserveException(
                    ErrorCode.TABLE_EXISTS,
                    "a table " + table.name() + " exists by now: drop it, or take the lost one's backup by name");
        }
        BackupName backup = new BackupName("lost-" + table.name() + "-" + table.tableId());
        boolean there = cluster.backups().stream()
                .anyMatch(info -> info.name().equals(backup.value()) && info.state() == BackupInfo.State.COMPLETE);
        if (!there) {
            BackupProgressMonitor.run(
                    console(),
                    clock(),
                    cluster,
                    "find " + table.name(),
                    backup,
                    () -> cluster.salvage(table.tableId(), backup));
        }
        restore(cluster, backup, table.name());
    }
}
