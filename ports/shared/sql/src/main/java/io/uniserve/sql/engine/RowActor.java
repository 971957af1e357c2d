package io.uniserve.sql.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.extra.ColumnSchema;
import java.util.Collection;
import java.util.List;

/** Actor that stores rows with typed columns; {@link RowUpdateFunctions} are its updates. */
public interface RowActor extends Actor {
    /** Returns the table's columns. */
    ColumnSchema columns();

    /** True after it was closed or destroyed. */
    boolean isClosed();

    /** Stores rows with distinct keys, values as in {@link ColumnSchema#values}. Existing rows with these keys are replaced. */
    void put(Collection<? extends List<?>> rows);

    /** Deletes the rows with the keys of these, whose other values are null. */
    void delete(Collection<? extends List<?>> rows);

    /** Fails with INVALID_ROW if the engine cannot store these values, which are as in {@link ColumnSchema#values}. */
    default void check(List<?> values) {}
}
