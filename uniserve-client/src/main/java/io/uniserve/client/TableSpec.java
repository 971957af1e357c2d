package io.uniserve.client;

import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Durability;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The definition of a table to be created. Immutable: each method returns a changed copy. What is not set has the default
 * that its method names; wrong values fail with INVALID_ARGUMENT, here or at creation.
 */
public final class TableSpec {
    private final TableMeta meta;

    private TableSpec(TableMeta meta) {
        this.meta = meta;
    }

    /** A table of this name: a letter, then letters, digits, {@code _} or {@code -}, at most 64 characters. */
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

    /** The port (engine) that holds the data. Must be set. */
    public TableSpec port(String port) {
        return changed(next -> next.port = port);
    }

    /** Rows are spread over this many actors by a hash of their key. Default: 16. */
    public TableSpec hash(int actors) {
        return partitioner(new Partitioner.Hash(actors));
    }

    /** Rows are spread by number: ascending bounds, one actor more than bounds. */
    public TableSpec range(List<Long> bounds) {
        return partitioner(new Partitioner.Range(bounds));
    }

    /** Any partitioner. */
    public TableSpec partitioner(Partitioner partitioner) {
        return changed(next -> next.partitioner = partitioner);
    }

    /**
     * What updates and queries of the table promise. Default: {@link ConsistencyLevel#EVENTUAL}. The others make every update
     * atomic over all its actors, and every query see one version of the table; the port must offer them.
     */
    public TableSpec level(ConsistencyLevel level) {
        return changed(next -> next.level = level);
    }

    /** The field of documents that is their key. Default: {@code id}. */
    public TableSpec keyField(String field) {
        return changed(next -> next.keyField = field);
    }

    /** Replicas of every actor. Default: 1. */
    public TableSpec replicas(int count) {
        return changed(next -> next.rf = count);
    }

    /** Below this many replicas in sync updates are refused; reads go on. Default: 1. */
    public TableSpec minIsr(int count) {
        return changed(next -> next.minIsr = count);
    }

    /** What to do when all replicas of an actor are lost. Default: {@link OnLoss#WAIT}. */
    public TableSpec onLoss(OnLoss onLoss) {
        return changed(next -> next.onLoss = onLoss);
    }

    /** Where an update must be before it is acknowledged. Default: {@link Durability#LOCAL}. */
    public TableSpec durability(Durability durability) {
        return changed(next -> next.durability = durability);
    }

    /** An option of the port. */
    public TableSpec option(String name, String value) {
        return changed(next -> next.options.put(name, value));
    }

    /** The definition; its table number is given at creation. */
    public TableMeta meta() {
        return meta;
    }

    private TableSpec changed(Consumer<Draft> change) {
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
