package io.uniserve.client;

import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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
        return with(meta.partitioner(), meta.keyField(), meta.rf(), meta.minIsr(), meta.onLoss(), port, meta.options());
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
        return with(partitioner, meta.keyField(), meta.rf(), meta.minIsr(), meta.onLoss(), meta.port(), meta.options());
    }

    /**
     * What updates and queries of the table promise. Default: {@link ConsistencyLevel#EVENTUAL}. The others make every update
     * atomic over all its actors, and every query see one version of the table; the port must offer them.
     */
    public TableSpec level(ConsistencyLevel level) {
        return new TableSpec(new TableMeta(
                meta.name(),
                0,
                meta.partitioner(),
                meta.keyField(),
                level,
                meta.rf(),
                meta.minIsr(),
                meta.onLoss(),
                meta.port(),
                meta.options()));
    }

    /** The field of documents that is their key. Default: {@code id}. */
    public TableSpec keyField(String field) {
        return with(meta.partitioner(), field, meta.rf(), meta.minIsr(), meta.onLoss(), meta.port(), meta.options());
    }

    /** Replicas of every actor. Default: 1. */
    public TableSpec replicas(int count) {
        return with(
                meta.partitioner(), meta.keyField(), count, meta.minIsr(), meta.onLoss(), meta.port(), meta.options());
    }

    /** Below this many replicas in sync updates are refused; reads go on. Default: 1. */
    public TableSpec minIsr(int count) {
        return with(meta.partitioner(), meta.keyField(), meta.rf(), count, meta.onLoss(), meta.port(), meta.options());
    }

    /** What to do when all replicas of an actor are lost. Default: {@link OnLoss#WAIT}. */
    public TableSpec onLoss(OnLoss onLoss) {
        return with(meta.partitioner(), meta.keyField(), meta.rf(), meta.minIsr(), onLoss, meta.port(), meta.options());
    }

    /** An option of the port. */
    public TableSpec option(String name, String value) {
        Map<String, String> options = new TreeMap<>(meta.options());
        options.put(name, value);
        return with(meta.partitioner(), meta.keyField(), meta.rf(), meta.minIsr(), meta.onLoss(), meta.port(), options);
    }

    /** The definition; its table number is given at creation. */
    public TableMeta meta() {
        return meta;
    }

    private TableSpec with(
            Partitioner partitioner,
            String keyField,
            int rf,
            int minIsr,
            OnLoss onLoss,
            String port,
            Map<String, String> options) {
        return new TableSpec(
                new TableMeta(meta.name(), 0, partitioner, keyField, meta.level(), rf, minIsr, onLoss, port, options));
    }
}
