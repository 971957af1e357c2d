package io.uniserve.cli.storage;

import io.uniserve.protocol.backup.batch.BatchedRun;
import io.uniserve.protocol.backup.format.BackupPaths;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Objects and bytes in durable storage per table and kind of object, from a listing with sizes. Immutable.
 *
 * @param tables tables by cluster and number
 * @param rest objects of no actor: owners, definitions, manifests of named backups, objects of others. An object with runs of several
 *     actors' logs counts here, without the bytes of the runs
 */
record StorageUsage(List<Table> tables, Amount rest) {
    StorageUsage {
        tables = List.copyOf(tables);
    }

    /**
     * Number and size of objects.
     *
     * @param bytes as the store counts them
     */
    record Amount(long objects, long bytes) {
        static final Amount NONE = new Amount(0, 0);

        Amount plus(Amount other) {
            return new Amount(objects + other.objects, bytes + other.bytes);
        }

        Amount minus(Amount other) {
            return new Amount(objects - other.objects, bytes - other.bytes);
        }
    }

    /**
     * Objects of the actors of a table.
     *
     * @param id number of the table in its cluster
     * @param actors actors with an object
     */
    record Table(String cluster, long id, int actors, Amount log, Amount checkpoint, Amount pins) {
        Amount all() {
            return log.plus(checkpoint).plus(pins);
        }
    }

    /** Returns the usage of a complete listing. */
    static StorageUsage of(Map<String, Long> sizes) {
        Map<String, Builder> builders = new TreeMap<>();
        Amount rest = Amount.NONE;
        for (Map.Entry<String, Long> object : sizes.entrySet()) {
            Amount amount = new Amount(1, object.getValue());
            BackupPaths.OfActor actor = BackupPaths.actorOf(object.getKey()).orElse(null);
            if (actor != null) {
                long table = actor.key().tableId();
                builders.computeIfAbsent(actor.cluster() + "/" + table, unused -> new Builder(actor.cluster(), table))
                        .add(actor.key().actor(), actor.kind(), amount);
            } else {
                rest = rest.plus(amount);
                for (BatchedRun run : BatchedRun.of(object.getKey())) {
                    Amount bytes = new Amount(0, run.bytes());
                    rest = rest.minus(bytes);
                    long table = run.actor().tableId();
                    builders.computeIfAbsent(run.cluster() + "/" + table, unused -> new Builder(run.cluster(), table))
                            .add(run.actor().actor(), "log", bytes);
                }
            }
        }
        List<Table> tables = builders.values().stream()
                .map(Builder::build)
                .sorted(Comparator.comparing(Table::cluster).thenComparing(Table::id))
                .toList();
        return new StorageUsage(tables, rest);
    }

    /** Returns all objects. */
    Amount all() {
        return tables.stream().map(Table::all).reduce(rest, Amount::plus);
    }

    /** Returns the number of actors with objects. */
    int actors() {
        return tables.stream().mapToInt(Table::actors).sum();
    }

    /** Returns the bytes of checkpoints per actor, on average; 0 without actors. */
    double checkpointBytesPerActor() {
        long bytes =
                tables.stream().mapToLong(table -> table.checkpoint().bytes()).sum();
        return actors() == 0 ? 0 : (double) bytes / actors();
    }

    private static final class Builder {
        private final String cluster;
        private final long id;
        private final Set<Integer> actors = new LinkedHashSet<>();
        private Amount log = Amount.NONE;
        private Amount checkpoint = Amount.NONE;
        private Amount pins = Amount.NONE;

        private Builder(String cluster, long id) {
            this.cluster = cluster;
            this.id = id;
        }

        private void add(int actor, String kind, Amount amount) {
            actors.add(actor);
            switch (kind) {
                case "log" -> log = log.plus(amount);
                case "checkpoint" -> checkpoint = checkpoint.plus(amount);
                default -> pins = pins.plus(amount);
            }
        }

        private Table build() {
            return new Table(cluster, id, actors.size(), log, checkpoint, pins);
        }
    }
}
