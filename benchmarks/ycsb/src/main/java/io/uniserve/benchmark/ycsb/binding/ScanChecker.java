package io.uniserve.benchmark.ycsb.binding;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import site.ycsb.Utils;

/**
 * Check of scans against the loaded keys: number of rows, order, no duplicates, fields, and with {@code dataintegrity} their values. Later
 * inserts can only add rows. Thread-safe.
 */
final class ScanChecker {
    /** Property that switches the check on: {@code true}. */
    static final String PROPERTY = "uniserve.check-scans";

    private final String[] keys;
    private final boolean values;

    ScanChecker(String[] sortedKeys, boolean values) {
        this.keys = sortedKeys.clone();
        this.values = values;
    }

    /** Returns the check for a run's keys, as CoreWorkload makes them; empty if it is off. */
    static Optional<ScanChecker> of(Properties properties) {
        if (!Boolean.parseBoolean(properties.getProperty(PROPERTY, "false"))) {
            return Optional.empty();
        }
        int records = Integer.parseInt(properties.getProperty("recordcount", "0"));
        boolean hashed = !properties.getProperty("insertorder", "hashed").equals("ordered");
        int digits = Integer.parseInt(properties.getProperty("zeropadding", "1"));
        String[] keys = new String[records];
        for (int i = 0; i < records; i++) {
            String number = Long.toString(hashed ? Utils.hash(i) : i);
            keys[i] = RowKey.PREFIX + "0".repeat(Math.max(0, digits - number.length())) + number;
        }
        Arrays.sort(keys);
        return Optional.of(
                new ScanChecker(keys, Boolean.parseBoolean(properties.getProperty("dataintegrity", "false"))));
    }

    /** Returns what is wrong with an answer; empty if nothing is. */
    Optional<String> problem(String from, int limit, int fieldCount, List<YcsbRow> rows) {
        int at = Arrays.binarySearch(keys, from);
        int atLeast = Math.min(limit, keys.length - (at < 0 ? -at - 1 : at));
        if (rows.size() < atLeast || rows.size() > limit) {
            return Optional.of(rows.size() + " rows from " + from + ", should be " + atLeast + " to " + limit);
        }
        String last = "";
        for (YcsbRow row : rows) {
            if (row.key().compareTo(from) < 0 || row.key().compareTo(last) <= 0) {
                return Optional.of("key " + row.key() + " after " + last + " in a scan from " + from);
            }
            if (row.fields().size() != fieldCount) {
                return Optional.of("row " + row.key() + " has " + row.fields().size() + " fields, not " + fieldCount);
            }
            if (values) {
                for (var field : row.fields().entrySet()) {
                    if (!field.getValue().startsWith(row.key() + ":" + field.getKey())) {
                        return Optional.of("row " + row.key() + ": " + field.getKey() + " is " + field.getValue());
                    }
                }
            }
            last = row.key();
        }
        return Optional.empty();
    }
}
