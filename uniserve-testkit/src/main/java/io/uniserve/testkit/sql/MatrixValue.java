package io.uniserve.testkit.sql;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values of answers: null, Boolean, BigDecimal for exact numbers, Double, or a text. */
final class MatrixValue {
    private static final double TOLERANCE = 1e-9;

    private MatrixValue() {}

    /** Whether two answers have the same rows; in any order unless {@code ordered}. */
    static boolean same(
            List<List<@Nullable Object>> ours, List<List<@Nullable Object>> theirs, boolean ordered, boolean approximate) {
        if (ours.size() != theirs.size()) {
            return false;
        }
        List<List<@Nullable Object>> left = ordered ? ours : sorted(ours);
        List<List<@Nullable Object>> right = ordered ? theirs : sorted(theirs);
        for (int row = 0; row < left.size(); row++) {
            if (left.get(row).size() != right.get(row).size()) {
                return false;
            }
            for (int i = 0; i < left.get(row).size(); i++) {
                if (!same(left.get(row).get(i), right.get(row).get(i), approximate)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean same(@Nullable Object ours, @Nullable Object theirs, boolean approximate) {
        if (ours == null || theirs == null) {
            return ours == theirs;
        }
        if (theirs instanceof Double number) {
            Double mine = ours instanceof BigDecimal exact ? Double.valueOf(exact.doubleValue()) : number(ours);
            return mine != null && near(mine, number, approximate);
        }
        if (theirs instanceof BigDecimal number) {
            return ours instanceof BigDecimal mine && mine.compareTo(number) == 0;
        }
        return ours.equals(theirs);
    }

    private static boolean near(double ours, double theirs, boolean approximate) {
        if (ours == theirs || (Double.isNaN(ours) && Double.isNaN(theirs))) {
            return true; // minus zero and zero are equal
        }
        return approximate && Math.abs(ours - theirs) <= TOLERANCE * Math.max(Math.abs(ours), Math.abs(theirs));
    }

    private static @Nullable Double number(Object value) {
        return switch (value.toString()) {
            case "Infinity" -> Double.POSITIVE_INFINITY;
            case "-Infinity" -> Double.NEGATIVE_INFINITY;
            case "NaN" -> Double.NaN;
            default -> null;
        };
    }

    private static List<List<@Nullable Object>> sorted(List<List<@Nullable Object>> rows) {
        List<List<@Nullable Object>> sorted = new ArrayList<>(rows);
        sorted.sort(Comparator.comparing(MatrixValue::key));
        return sorted;
    }

    /** A text that rows have in common which differ in the last digits of doubles. */
    private static String key(List<@Nullable Object> row) {
        StringBuilder key = new StringBuilder();
        for (Object value : row) {
            if (value instanceof Double number) {
                key.append(String.format("%.6e", number + 0.0));
            } else if (value instanceof BigDecimal number) {
                key.append(String.format("%.6e", number.doubleValue() + 0.0));
            } else {
                key.append(value);
            }
            key.append('|');
        }
        return key.toString();
    }

    /** The rows of an answer of uniserve-sql's: {@code {"columns":[...],"rows":[[...],...]}}. */
    static List<List<@Nullable Object>> rows(String json) {
        return new Reader(json, json.lastIndexOf("\"rows\":") + "\"rows\":".length()).rows();
    }

    /** Reader of the rows; texts, numbers, true, false and null are all there is. */
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
