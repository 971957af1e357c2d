package io.uniserve.api.extra;

import io.uniserve.api.Document;
import io.uniserve.api.Row;
import io.uniserve.model.TableMeta;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * Form of an update function whose rows go to every actor, for tables whose key field is not the unique key of rows. The actor
 * of a row's key takes the row; every other actor deletes the row that it has under the same unique key. A port that has it for
 * its function {@code x.add@1} registers {@code x.add-everywhere@1}; clients then send that one in such tables.
 */
public final class EverywhereForm {
    /** Table option that names the unique key of rows. */
    public static final String OPTION = "unique-key";

    /** The unique key of tables without the option. */
    private static final String UNIQUE_KEY = "id";

    private static final String SUFFIX = "-everywhere";

    private EverywhereForm() {}

    /** The field that is the unique key of the table's rows, by its definition. */
    public static String uniqueKey(TableMeta meta) {
        return meta.options().getOrDefault(OPTION, UNIQUE_KEY);
    }

    /** The definition without {@link #OPTION}, for checks of the port's other options. */
    public static TableMeta withoutOption(TableMeta meta) {
        Map<String, String> others = new TreeMap<>(meta.options());
        others.remove(OPTION);
        return meta.with(others);
    }

    /** Whether the update function, {@code name@version}, is such a form. */
    public static boolean is(String function) {
        int version = function.lastIndexOf('@');
        return version >= 0 && function.substring(0, version).endsWith(SUFFIX);
    }

    /**
     * The update function to send for {@code function}: its form for all actors if the table needs one and the port has it,
     * else the function itself.
     *
     * @param offered update functions of the table's port
     */
    public static String sent(String function, TableMeta meta, Collection<String> offered) {
        int version = function.lastIndexOf('@');
        if (version < 0 || meta.keyField().equals(uniqueKey(meta))) {
            return function;
        }
        String form = function.substring(0, version) + SUFFIX + function.substring(version);
        return offered.contains(form) ? form : function;
    }

    /** Whether a row of the form goes to all actors: each but one that changes fields, whose document must be under its key. */
    public static boolean isForAll(Row row) {
        return !(row instanceof Document document
                && document.fields().values().stream().anyMatch(Map.class::isInstance));
    }
}
