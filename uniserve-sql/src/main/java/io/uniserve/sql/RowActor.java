package io.uniserve.sql;

import io.uniserve.api.Actor;
import io.uniserve.api.extra.Columns;
import java.util.Collection;
import java.util.List;

/** An actor that keeps rows with typed columns; {@link RowUpdates} are its updates. */
public interface RowActor extends Actor {
    /** The table's. */
    Columns columns();

    /** True once it was closed or destroyed. */
    boolean isClosed();

    /** Stores rows, of distinct keys, values as {@link Columns#values} has them; those that have such a key go. */
    void put(Collection<? extends List<?>> rows);

    /** Deletes the rows with the keys of these, whose other values are null. */
    void delete(Collection<? extends List<?>> rows);

    /** INVALID_ROW where the engine cannot hold such values, given as {@link Columns#values} has them. */
    default void check(List<?> values) {}
}
