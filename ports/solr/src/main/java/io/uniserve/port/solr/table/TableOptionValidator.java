package io.uniserve.port.solr.table;

import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.TableMeta;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Checks of a table's definition for {@link io.uniserve.api.Engine#validate}. All throw INVALID_ARGUMENT. Stateless. */
public final class TableOptionValidator {
    private TableOptionValidator() {}

    /**
     * Requires partitioning by hash.
     *
     * @param why end of the message: "port x supports hash, for WHY"
     */
    public static void requireHashPartitioner(TableMeta meta, String why) {
        if (!(meta.partitioner() instanceof Partitioner.Hash)) {
            throw UniserveException.invalid("partitioner: port " + meta.port() + " supports hash, for " + why);
        }
    }

    /** Rejects a change of any option but this one. */
    public static void requireOnlyOptionChanged(TableMeta before, TableMeta now, String option) {
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
     * Requires that all existing entries still exist unchanged.
     *
     * @param kind kind of the entries, such as "field", for the message
     */
    public static void requireOnlyAdditions(String kind, Map<String, String> before, Map<String, String> now) {
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

    /** Rejects all options but these; does not check values. */
    public static void requireOnlyOptions(TableMeta meta, List<String> names) {
        if (!names.containsAll(meta.options().keySet())) {
            throw UniserveException.invalid(
                    "table options are " + meta.options().keySet() + ": use " + String.join(" and ", names) + " alone");
        }
    }

    /**
     * Reads an integer option.
     *
     * @param missing the default
     * @param min lowest allowed value
     * @param max highest allowed value
     */
    public static int intOption(TableMeta meta, String option, int missing, int min, int max) {
        String text = meta.options().get(option);
        if (text == null) {
            return missing;
        }
        int number = text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
        if (number < min || number > max) {
            throw UniserveException.invalid("table option " + option + " is \"" + PrintableText.line(text)
                    + "\": use a whole number, " + min + " to " + max);
        }
        return number;
    }
}
