package io.uniserve.sql.engine;

import io.uniserve.api.ActorView;
import io.uniserve.api.EngineErrorMapper;
import io.uniserve.api.extra.ColumnSchema;
import java.nio.file.Path;

/** Base class for views of an engine that can list its rows: an actor, or a snapshot of one. Its checkpoints are {@link RowCheckpointFile}s. */
public abstract class RowReader implements ActorView {
    private final EngineErrorMapper engine;
    private final ColumnSchema columns;

    protected RowReader(EngineErrorMapper engine, ColumnSchema columns) {
        this.engine = engine;
        this.columns = columns;
    }

    /** Returns the table's columns. */
    public final ColumnSchema columns() {
        return columns;
    }

    /** Passes all published rows to a consumer, values as texts. */
    protected abstract void forEachRow(RowCheckpointFile.Rows consumer) throws Exception;

    /** Writes all published rows into an existing empty directory. */
    public final void writeTo(Path directory) {
        engine.call("write a checkpoint", () -> {
            RowCheckpointFile.write(directory, columns.columns().size(), this::forEachRow);
            return directory;
        });
    }

    @Override
    public final byte[] digest() {
        return engine.call("compute the digest", () -> RowCheckpointFile.digest(this::forEachRow));
    }

    /** Same as {@code close}: the engine keeps no data of a closed actor. */
    public final void destroy() {
        close();
    }
}
