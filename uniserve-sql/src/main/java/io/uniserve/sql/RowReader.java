package io.uniserve.sql;

import io.uniserve.api.ActorView;
import io.uniserve.api.EngineFailures;
import io.uniserve.api.extra.Columns;
import java.nio.file.Path;

/** What operators see of an engine that can list its rows: an actor, or a view of one. Its checkpoints are {@link RowFile}s. */
public abstract class RowReader implements ActorView {
    private final EngineFailures engine;
    private final Columns columns;

    protected RowReader(EngineFailures engine, Columns columns) {
        this.engine = engine;
        this.columns = columns;
    }

    /** The table's. */
    public final Columns columns() {
        return columns;
    }

    /** Gives all published rows, values as texts, to a consumer. */
    protected abstract void each(RowFile.Rows consumer) throws Exception;

    /** Writes all published rows into an existing empty folder. */
    public final void writeTo(Path directory) {
        engine.translated("write a checkpoint", () -> {
            RowFile.write(directory, columns.columns().size(), this::each);
            return directory;
        });
    }

    @Override
    public final byte[] digest() {
        return engine.translated("compute the digest", () -> RowFile.digest(this::each));
    }

    /** The engine's data of it is gone once it is closed. */
    public final void destroy() {
        close();
    }
}
