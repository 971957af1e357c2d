package io.uniserve.port.solr.table;

import io.uniserve.error.Printable;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableMeta;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What most engines check of a table's definition, for {@link io.uniserve.api.Engine#validate}. All fail with INVALID_ARGUMENT. */
public final class TableChecks {
    private TableChecks() {}

    /** The table must be partitioned by hash; {@code why} goes on "port x supports hash, for". */
    public static void hashed(TableMeta meta, String why) {
        if (!(meta.partitioner() instanceof Partitioner.Hash)) {
            throw UniserveException.invalid("partitioner: port " + meta.port() + " supports hash, for " + why);
        }
    }

    /** Nothing but this option may differ. */
    public static void onlyChanged(TableMeta before, TableMeta now, String option) {
        Map<String, String> same = new TreeMap<>(before.options());
        Map<String, String> then = new TreeMap<>(now.options());
        same.remove(option);
        then.remove(option);
        if (!same.equals(then)) {
            throw UniserveException.invalid(
                    "table options: only " + option + " can change while the table lives; create another table");
        }
    }

    /**
     * Whatever was there must be there and be the same.
     *
     * @param kind of what the maps have by name, such as "field"
     */
    public static void additions(String kind, Map<String, String> before, Map<String, String> now) {
        before.forEach((name, was) -> {
            String is = now.get(name);
            if (!was.equals(is)) {
                throw UniserveException.invalid(kind + " \"" + name + "\" "
                        + (is == null ? "is removed" : "is changed from " + was + " to " + is)
                        + ", but documents are indexed with it; leave it as it was and add another, or load a"
                        + " new table");
            }
        });
    }

    /** The table may have these options alone, with any value. */
    public static void onlyOptions(TableMeta meta, List<String> names) {
        if (!names.containsAll(meta.options().keySet())) {
            throw UniserveException.invalid(
                    "table options are " + meta.options().keySet() + ": use " + String.join(" and ", names) + " alone");
        }
    }

    /** An option that is a whole number within bounds. */
    public static int number(TableMeta meta, String option, int missing, int min, int max) {
        String text = meta.options().get(option);
        if (text == null) {
            return missing;
        }
        int number = text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
        if (number < min || number > max) {
            throw UniserveException.invalid("table option " + option + " is \"" + Printable.line(text)
                    + "\": use a whole number, " + min + " to " + max);
        }
        return number;
    }
}
