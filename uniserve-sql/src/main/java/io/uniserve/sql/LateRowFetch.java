package io.uniserve.sql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Puts columns that were fetched last into an answer. */
final class LateRowFetch {
    private LateRowFetch() {}

    /**
     * The answer with these columns in their places; empty where a row is not what it was when the others of its columns were
     * read, or a key has no row. Every row of the table then is of one moment: the later one.
     *
     * @param answer with zeros in the places of the late columns
     * @param before what the table's side was, where it had one
     * @param fetched the columns of the side, and then the late ones
     */
    static Optional<SqlRows> filled(
            SqlRows answer, FragmentedPlan.Late late, Optional<SqlRows> before, SqlRows fetched) {
        Map<Object, Integer> now = places(fetched.columns().get(late.own()));
        if (now.size() < fetched.count()) {
            return Optional.empty(); // a key that is none
        }
        SqlColumn keys = answer.columns().get(late.key());
        int[] rows = new int[answer.count()];
        Map<Object, Integer> wanted = new HashMap<>();
        for (int row = 0; row < rows.length; row++) {
            Integer found = keys.isNull(row) ? null : now.get(value(keys, row));
            if (found == null) {
                return Optional.empty();
            }
            rows[row] = found;
            wanted.put(value(keys, row), found);
        }
        if (before.isPresent() && !same(before.get(), fetched, late.own(), wanted)) {
            return Optional.empty();
        }
        List<SqlColumn> columns = new ArrayList<>(answer.columns());
        int first = fetched.columns().size() - late.answers().size();
        for (int i = 0; i < late.answers().size(); i++) {
            columns.set(late.answers().get(i), fetched.columns().get(first + i).only(rows));
        }
        return Optional.of(new SqlRows(columns));
    }

    /** Whether the side's columns of all rows that are wanted are what they were. */
    private static boolean same(SqlRows before, SqlRows fetched, int key, Map<Object, Integer> wanted) {
        SqlColumn keys = before.columns().get(key);
        int known = 0;
        for (int row = 0; row < before.count(); row++) {
            Integer place = wanted.get(value(keys, row));
            if (place != null) {
                known++;
                for (int i = 0; i < before.columns().size(); i++) {
                    if (!Objects.equals(
                            before.columns().get(i).text(row),
                            fetched.columns().get(i).text(place))) {
                        return false;
                    }
                }
            }
        }
        return known == wanted.size();
    }

    private static Map<Object, Integer> places(SqlColumn keys) {
        Map<Object, Integer> places = new HashMap<>();
        for (int row = 0; row < keys.count(); row++) {
            places.put(value(keys, row), row);
        }
        return places;
    }

    private static Object value(SqlColumn column, int row) {
        return column.isNumbers() && !column.isNull(row) ? column.number(row) : String.valueOf(column.text(row));
    }
}
