package io.uniserve.api.extra;

import io.uniserve.api.Document;
import io.uniserve.api.Row;
import io.uniserve.model.registry.TableMeta;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * Variant of an update function whose rows go to every actor, for tables whose key field is not the unique key of rows. The actor that owns
 * the row's key applies the row; every other actor deletes its row with the same unique key. A port that supports it for its function
 * {@code x.add@1} also registers {@code x.add-everywhere@1}; clients then send that one in such tables. Stateless.
 *
 * <pre>{@code
 * if (BroadcastUpdate.isBroadcast(function) && !context.owns(row)) {
 *     delete(row.fields().get(BroadcastUpdate.uniqueKey(context.meta())));
 * }
 * }</pre>
 */
public final class BroadcastUpdate {
    /** Table option with the name of the unique key. */
    public static final String OPTION = "unique-key";

    /** Unique key of tables without the option. */
    private static final String UNIQUE_KEY = "id";

    private static final String SUFFIX = "-everywhere";

    private BroadcastUpdate() {}

    /** Name of the field that is the unique key of the table's rows. */
    public static String uniqueKey(TableMeta meta) {
        return meta.options().getOrDefault(OPTION, UNIQUE_KEY);
    }

    /** Returns the definition without {@link #OPTION}, for checks of the port's other options. */
    public static TableMeta withoutOption(TableMeta meta) {
        Map<String, String> others = new TreeMap<>(meta.options());
        others.remove(OPTION);
        return meta.with(others);
    }

    /** Returns whether an update function, {@code name@version}, is such a variant. */
    public static boolean isBroadcast(String function) {
        int version = function.lastIndexOf('@');
        return version >= 0 && function.substring(0, version).endsWith(SUFFIX);
    }

    /**
     * Returns the function that a client sends in place of {@code function}: its variant for all actors if the table needs one and the port
     * has it, otherwise the function itself.
     *
     * @param offered update functions of the table's port
     */
    public static String functionToSend(String function, TableMeta meta, Collection<String> offered) {
        int version = function.lastIndexOf('@');
        if (version < 0 || meta.keyField().equals(uniqueKey(meta))) {
            return function;
        }
        String form = function.substring(0, version) + SUFFIX + function.substring(version);
        return offered.contains(form) ? form : function;
    }

    /**
     * Returns whether the variant sends this row to all actors. A row that changes fields of a document goes only to the actor that owns
     * its key.
     */
    public static boolean goesToAllActors(Row row) {
        return !(row instanceof Document document
                && document.fields().values().stream().anyMatch(Map.class::isInstance));
    }
}
