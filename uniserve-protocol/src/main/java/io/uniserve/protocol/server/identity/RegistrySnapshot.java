package io.uniserve.protocol.server.identity;

import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All maps and tombstones of a registry, read after a sync. If one read fails, the result is an error, because a partial result would show
 * existing tables as absent. Tombstones are read last, so a table that is dropped meanwhile has one.
 *
 * @param cluster the cluster's record; null if there is none
 * @param maps maps by table number
 * @param tombstones table numbers
 */
public record RegistrySnapshot(
        @Nullable ClusterRecord cluster, TreeMap<Long, TableMap> maps, TreeSet<Long> tombstones) {
    private static final Logger LOG = LoggerFactory.getLogger(RegistrySnapshot.class);

    public static void read(Registry registry, Completion<RegistrySnapshot> completion) {
        registry.sync(completion.then(synced -> {
            registry.read(RegistryPaths.CLUSTER, completion.then(read -> {
                ClusterRecord cluster = read.value() instanceof ClusterRecord record ? record : null;
                tables(registry, new RegistrySnapshot(cluster, new TreeMap<>(), new TreeSet<>()), completion);
            }));
        }));
    }

    private static void tables(Registry registry, RegistrySnapshot census, Completion<RegistrySnapshot> completion) {
        registry.children(RegistryPaths.TABLES, completion.then(listed -> {
            next(registry, listed, 0, census, completion);
        }));
    }

    private static void next(
            Registry registry,
            List<String> names,
            int at,
            RegistrySnapshot census,
            Completion<RegistrySnapshot> completion) {
        if (at == names.size()) {
            tombstones(registry, census, completion);
            return;
        }
        TableName name = tableName(names.get(at));
        if (name == null) {
            next(registry, names, at + 1, census, completion);
            return;
        }
        registry.read(RegistryPaths.map(name), completion.then(read -> {
            if (read.value() instanceof TableMap map) {
                census.maps().put(map.tableId(), map);
            }
            next(registry, names, at + 1, census, completion);
        }));
    }

    private static void tombstones(
            Registry registry, RegistrySnapshot census, Completion<RegistrySnapshot> completion) {
        registry.children(RegistryPaths.TOMBSTONES, listed -> {
            if (!(listed instanceof Outcome.Ok<List<String>> ok)) {
                completion.done(Outcome.err(listed.error()));
                return;
            }
            for (String number : ok.value()) {
                if (number.matches("\\d{1,18}")) {
                    census.tombstones().add(Long.parseLong(number));
                }
            }
            completion.done(Outcome.ok(census));
        });
    }

    private static @Nullable TableName tableName(String name) {
        try {
            return new TableName(name);
        } catch (UniserveException e) {
            LOG.debug("not a table: {}", e.reason());
            return null;
        }
    }
}
