package io.uniserve.benchmark.storage;

import io.uniserve.client.Admin;
import io.uniserve.model.registry.TableMeta;
import java.util.ArrayList;
import java.util.List;

/** Restoration of all tables of a lost cluster, as {@code uniserve restore --all} does it. Stateless. */
final class LostTableRestorer {
    private LostTableRestorer() {}

    /** Restores all tables under their names. Returns the names of the backups that were made of them. */
    static List<String> restore(StorageCluster cluster) {
        Admin admin = cluster.client().admin();
        List<String> backups = new ArrayList<>();
        for (TableMeta table : admin.lostTables()) {
            String backup = "lost-" + table.name() + "-" + table.tableId();
            admin.salvageTable(table.tableId(), backup);
            admin.restoreTable(backup, table.name().value());
            backups.add(backup);
        }
        return backups;
    }
}
