package io.uniserve.protocol.coordinator;

import io.uniserve.model.BackupRecord;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;

/**
 * Removes the backup records of dropped tables. Servers may still write them while the table is dropped, so this is no part of
 * the drop itself but repeated until nothing is left. Records of a table created again under the name are spared by its number.
 */
final class BackupSweeper {
    private static final int DELETES_PER_WRITE = 256;

    private final TermRegistry registry;
    private final CatalogManager catalog;
    private final TreeSet<TableName> names = new TreeSet<>();
    private boolean busy;

    BackupSweeper(TermRegistry registry, CatalogManager catalog) {
        this.registry = registry;
        this.catalog = catalog;
    }

    void addAll(Collection<TableName> dropped) {
        names.addAll(dropped);
    }

    void tick() {
        if (busy || names.isEmpty()) {
            return;
        }
        busy = true;
        TableName name = names.first();
        registry.children(RegistryPaths.backups(name), outcome -> {
            if (outcome instanceof Outcome.Ok<List<String>> ok) {
                collect(name, ok.value().iterator(), new ArrayList<>());
            } else {
                busy = false;
            }
        });
    }

    private void collect(TableName name, Iterator<String> children, List<Op> deletes) {
        if (!children.hasNext() || deletes.size() >= DELETES_PER_WRITE) {
            delete(name, deletes);
            return;
        }
        String path = RegistryPaths.backups(name) + "/" + children.next();
        registry.read(path, outcome -> {
            if (!(outcome instanceof Outcome.Ok<Versioned> ok)) {
                busy = false;
                return;
            }
            if (ok.value().version() != Registry.ABSENT && orphan(name, ok.value())) {
                deletes.add(new Op.Delete(path, ok.value().version()));
            }
            collect(name, children, deletes);
        });
    }

    private boolean orphan(TableName name, Versioned found) {
        Table table = catalog.find(name);
        return table == null
                || !(found.value() instanceof BackupRecord record)
                || record.key().tableId() != table.meta.tableId();
    }

    private void delete(TableName name, List<Op> deletes) {
        if (deletes.isEmpty()) {
            names.remove(name);
            busy = false;
            return;
        }
        registry.write(deletes, written -> {
            busy = false;
            if (written.applied()) {
                tick();
            }
        });
    }
}
