package io.uniserve.api;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableMeta;
import java.util.Set;

/** What most engines check of a table's definition, for {@link Engine#validate}. All fail with INVALID_ARGUMENT. */
public final class TableChecks {
    private TableChecks() {}

    /** The table must be partitioned by hash; {@code why} goes on "port x supports hash, for". */
    public static void hashed(TableMeta meta, String why) {
        if (!(meta.partitioner() instanceof Partitioner.Hash)) {
            throw UniserveException.invalid("partitioner: port " + meta.port() + " supports hash, for " + why);
        }
    }

    /** The table may have this option alone, with any value. */
    public static void onlyOption(TableMeta meta, String name) {
        if (!Set.of(name).containsAll(meta.options().keySet())) {
            throw UniserveException.invalid(
                    "table options are " + meta.options().keySet() + ": use " + name + " alone");
        }
    }
}
