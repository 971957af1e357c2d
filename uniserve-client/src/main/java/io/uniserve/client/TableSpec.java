package io.uniserve.client;

import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Durability;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Definition of a table to create. Immutable: each method returns a changed copy. Unset values have the default of their method.
 * Wrong values fail with INVALID_ARGUMENT, here or at creation.
 *
 * <pre>{@code
 * TableSpec visits = TableSpec.named("visits").port("kv").hash(16).replicas(3).minIsr(2);
 * client.admin().createTable(visits);
 * }</pre>
 */
public final class TableSpec {
    private final TableMeta meta;

    private TableSpec(TableMeta meta) {
        this.meta = meta;
    }

    /**
     * Creates the definition of a table of this name: a letter, then letters, digits, {@code _} or {@code -}, at most 64 characters.
     */
    public static TableSpec named(String name) {
        return new TableSpec(new TableMeta(
                new TableName(name),
                0,
                new Partitioner.Hash(16),
                "id",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "",
                Map.of()));
    }

    /** Sets the port (engine) that stores the data. Required. */
    public TableSpec port(String port) {
        return withChange(next -> next.port = port);
    }

    /** Partitions rows into this many actors by a hash of their key. Default: 16. */
    public TableSpec hash(int actors) {
        return partitioner(new Partitioner.Hash(actors));
    }

    /** Partitions rows by ranges of a number key. Bounds ascend; there is one actor more than bounds. */
    public TableSpec range(List<Long> bounds) {
        return partitioner(new Partitioner.Range(bounds));
    }

    /** Sets a partitioner. */
    public TableSpec partitioner(Partitioner partitioner) {
        return withChange(next -> next.partitioner = partitioner);
    }

    /**
     * Sets the consistency level. Default: {@link ConsistencyLevel#EVENTUAL}. At the other levels every update is atomic over all its
     * actors, and every query reads one version of the table; the port must support them.
     */
    public TableSpec level(ConsistencyLevel level) {
        return withChange(next -> next.level = level);
    }

    /** Sets the key field of documents. Default: {@code id}. */
    public TableSpec keyField(String field) {
        return withChange(next -> next.keyField = field);
    }

    /** Sets the number of replicas per actor. Default: 1. */
    public TableSpec replicas(int count) {
        return withChange(next -> next.rf = count);
    }

    /** Sets the smallest number of in-sync replicas for updates. With fewer, updates fail and reads continue. Default: 1. */
    public TableSpec minIsr(int count) {
        return withChange(next -> next.minIsr = count);
    }

    /** Sets the action after the loss of all replicas of an actor. Default: {@link OnLoss#WAIT}. */
    public TableSpec onLoss(OnLoss onLoss) {
        return withChange(next -> next.onLoss = onLoss);
    }

    /** Sets the storage that must have an update before it is acknowledged. Default: {@link Durability#LOCAL}. */
    public TableSpec durability(Durability durability) {
        return withChange(next -> next.durability = durability);
    }

    /** Sets an option of the port. */
    public TableSpec option(String name, String value) {
        return withChange(next -> next.options.put(name, value));
    }

    /** Returns the definition; the table number is assigned at creation. */
    public TableMeta meta() {
        return meta;
    }

    private TableSpec withChange(Consumer<Draft> change) {
        Draft next = new Draft(meta);
        change.accept(next);
        return new TableSpec(next.meta(meta.name()));
    }

    private static final class Draft {
        private Partitioner partitioner;
        private String keyField;
        private ConsistencyLevel level;
        private int rf;
        private int minIsr;
        private OnLoss onLoss;
        private Durability durability;
        private String port;
        private final TreeMap<String, String> options;

        Draft(TableMeta meta) {
            partitioner = meta.partitioner();
            keyField = meta.keyField();
            level = meta.level();
            rf = meta.rf();
            minIsr = meta.minIsr();
            onLoss = meta.onLoss();
            durability = meta.durability();
            port = meta.port();
            options = new TreeMap<>(meta.options());
        }

        TableMeta meta(TableName name) {
            return new TableMeta(name, 0, partitioner, keyField, level, rf, minIsr, onLoss, durability, port, options);
        }
    }
}
