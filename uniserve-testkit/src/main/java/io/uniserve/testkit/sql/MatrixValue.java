package io.uniserve.testkit.sql;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values of answers: null, Boolean, BigDecimal for exact numbers, Double, or String. */
final class MatrixValue {
    private static final double TOLERANCE = 1e-9;

    private MatrixValue() {}

    /** True if two answers have the same rows, in any order unless {@code ordered}. */
    static boolean same(
            List<List<@Nullable Object>> ours,
            List<List<@Nullable Object>> theirs,
            boolean ordered,
            boolean approximate) {
        if (ours.size() != theirs.size()
                || (!ours.isEmpty() && ours.get(0).size() != theirs.get(0).size())) {
            return false;
        }
        List<List<@Nullable Object>> alike = withReferenceTypes(ours, theirs);
        List<List<@Nullable Object>> left = ordered ? alike : sorted(alike, approximate);
        List<List<@Nullable Object>> right = ordered ? theirs : sorted(theirs, approximate);
        for (int row = 0; row < left.size(); row++) {
            for (int i = 0; i < left.get(row).size(); i++) {
                if (!same(left.get(row).get(i), right.get(row).get(i), approximate)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Our rows with numbers of the reference's type: double or exact. */
    private static List<List<@Nullable Object>> withReferenceTypes(
            List<List<@Nullable Object>> ours, List<List<@Nullable Object>> theirs) {
        List<List<@Nullable Object>> alike = new ArrayList<>();
        for (List<@Nullable Object> row : ours) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int i = 0; i < row.size(); i++) {
                int column = i;
                boolean real = theirs.stream().anyMatch(other -> other.get(column) instanceof Double);
                values.add(real ? real(row.get(i)) : row.get(i));
            }
            alike.add(values);
        }
        return alike;
    }

    private static @Nullable Object real(@Nullable Object value) {
        if (value instanceof BigDecimal exact) {
            return exact.doubleValue();
        }
        return switch (String.valueOf(value)) {
            case "Infinity" -> Double.POSITIVE_INFINITY;
            case "-Infinity" -> Double.NEGATIVE_INFINITY;
            case "NaN" -> Double.NaN;
            default -> value;
        };
    }

    private static boolean same(@Nullable Object ours, @Nullable Object theirs, boolean approximate) {
        if (ours == null || theirs == null) {
            return ours == theirs;
        }
        if (theirs instanceof Double number) {
            return ours instanceof Double mine && isNear(mine, number, approximate);
        }
        if (theirs instanceof BigDecimal number) {
            return ours instanceof BigDecimal mine && mine.compareTo(number) == 0;
        }
        return ours.equals(theirs);
    }

    private static boolean isNear(double ours, double theirs, boolean approximate) {
        if (ours == theirs || (Double.isNaN(ours) && Double.isNaN(theirs))) {
            return true; // minus zero and zero are equal
        }
        return approximate && Math.abs(ours - theirs) <= TOLERANCE * Math.max(Math.abs(ours), Math.abs(theirs));
    }

    private static List<List<@Nullable Object>> sorted(List<List<@Nullable Object>> rows, boolean approximate) {
        List<List<@Nullable Object>> sorted = new ArrayList<>(rows);
        Comparator<List<@Nullable Object>> byKey = Comparator.comparing(row -> key(row, approximate));
        sorted.sort(byKey.thenComparing(MatrixValue::byNumbers));
        return sorted;
    }

    /** Order of rows with equal keys: by their doubles, which may differ after the digits of the key. */
    private static int byNumbers(List<@Nullable Object> one, List<@Nullable Object> other) {
        for (int i = 0; i < one.size(); i++) {
            if (one.get(i) instanceof Double left && other.get(i) instanceof Double right && !left.equals(right)) {
                return Double.compare(left + 0.0, right + 0.0);
            }
        }
        return 0;
    }

    /**
     * Sort key that is the same for equal rows alone: the text null is not NULL. If values are approximate, it ignores the last digits.
     */
    private static String key(List<@Nullable Object> row, boolean approximate) {
        StringBuilder key = new StringBuilder();
        for (Object value : row) {
            if (approximate && value instanceof Double number) {
                key.append(String.format("%.6e", number + 0.0));
            } else if (value instanceof Double number) {
                key.append(number + 0.0);
            } else if (value instanceof BigDecimal number) {
                key.append(number.stripTrailingZeros().toPlainString());
            } else if (value instanceof String text) {
                key.append('\'').append(text.replace("'", "''")).append('\'');
            } else {
                key.append(value);
            }
            key.append('|');
        }
        return key.toString();
    }

    /** The rows of an answer of uniserve-sql: {@code {"columns":[...],"rows":[[...],...]}}. */
    static List<List<@Nullable Object>> rows(String json) {
        return new Reader(json, json.lastIndexOf("\"rows\":") + "\"rows\":".length()).rows();
    }

    /** Reader of the rows. It supports only texts, numbers, true, false and null. */
    private static final class Reader {
        private final String json;
        private int at;

        Reader(String json, int at) {
            this.json = json;
            this.at = at;
        }

        List<List<@Nullable Object>> rows() {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            at++;
            while (next() != ']') {
                rows.add(row());
            }
            return rows;
        }

        private char next() {
            while (Character.isWhitespace(json.charAt(at)) || json.charAt(at) == ',') {
                at++;
            }
            return json.charAt(at);
        }

        private List<@Nullable Object> row() {
            List<@Nullable Object> row = new ArrayList<>();
            at++;
            while (next() != ']') {
                row.add(json.charAt(at) == '"' ? text() : word());
            }
            at++;
            return row;
        }

        private String text() {
            StringBuilder text = new StringBuilder();
            for (at++; json.charAt(at) != '"'; at++) {
                if (json.charAt(at) == '\\' && json.charAt(at + 1) == 'u') {
                    text.append((char) Integer.parseInt(json.substring(at + 2, at + 6), 16));
                    at += 5;
                } else {
                    at += json.charAt(at) == '\\' ? 1 : 0;
                    text.append(json.charAt(at));
                }
            }
            at++;
            return text.toString();
        }

        private @Nullable Object word() {
            int from = at;
            while (json.charAt(at) != ',' && json.charAt(at) != ']') {
                at++;
            }
            String word = json.substring(from, at);
            return switch (word) {
                case "null" -> null;
                case "true", "false" -> Boolean.valueOf(word);
                default -> new BigDecimal(word);
            };
        }
    }
}
