package io.uniserve.testkit.sql;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Generator of the matrix: each column type, with NULL, extremes, ties and unusual values, in each operation. The same seed gives the same
 * tables and statements.
 */
public final class SqlMatrix {
    private static final String COLUMNS =
            "id bigint, k integer, n integer, b bigint, m decimal(9,2), w decimal(18,4), d double, s varchar, t date, f boolean";
    private static final List<String> TYPED = List.of("n", "b", "m", "w", "d", "s", "t", "f");
    private static final List<String> NUMBERS = List.of("n", "b", "m", "w", "d");
    private static final int GROUPS = 3;

    private static final Map<String, List<Object>> PLAIN = new TreeMap<>(Map.of(
            "n", List.of(-7L, -1L, 0L, 1L, 2L, 3L, 1000L),
            "b", List.of(-7L, -1L, 0L, 1L, 2L, 3L, 5_000_000_000L),
            "m", List.of("-2.25", "-0.01", "0.00", "0.50", "1.10", "2.50", "3.00"),
            "w", List.of("-2.2500", "-0.0001", "0.0000", "0.5000", "1.1000", "2.5000", "123456.7891"),
            "d", List.of(-2.5, -0.5, 0.0, -0.0, 0.1, 0.5, 1.5, 2.0, 2.5, 1e15),
            "s", List.of("", "a", "A", "b", "é", "ab", "a b", "7", "-2"),
            "t", List.of("2026-01-31", "2026-03-29", "2024-02-29", "2026-05-31", "1969-12-31", "2000-01-01"),
            "f", List.of(true, false)));
    private static final Map<String, List<Object>> EXTREME = new TreeMap<>(Map.of(
            "n", List.of((long) Integer.MIN_VALUE, Integer.MIN_VALUE + 1L, -1L, 0L, 1L, (long) Integer.MAX_VALUE),
            "b", List.of(Long.MIN_VALUE, Long.MIN_VALUE + 1, -1L, 0L, (1L << 53) + 1, Long.MAX_VALUE),
            "m", List.of("-9999999.99", "9999999.99", "0.01", "-0.01", "0.00"),
            "w", List.of("-99999999999999.9999", "99999999999999.9999", "0.0001", "-0.0001", "0.0000"),
            "d",
                    List.of(
                            -Double.MAX_VALUE,
                            Double.MAX_VALUE,
                            Double.MIN_VALUE,
                            -Double.MIN_VALUE,
                            0.0,
                            -0.0,
                            9007199254740993.0,
                            0.1,
                            1e-7,
                            1e22),
            "s",
                    List.of(
                            "", " ", "a ", "e\u0301", "é", "\u0001", "a\tb", "a\nb", "'", "\"", "\\", "%", "_", "😀",
                            "\uFB01", "\uFFFD", "null", "ß", "\uE001"),
            "t", List.of("0001-01-01", "9999-12-31", "1582-10-10", "1900-02-28", "2000-02-29", "1970-01-01"),
            "f", List.of(true, false)));
    private static final Map<String, List<String>> CONSTANTS = new TreeMap<>(Map.of(
            "n", List.of("0", "2", "-7", "2147483647", "1.5"),
            "b", List.of("0", "2", "5000000000", "9223372036854775807"),
            "m", List.of("0", "2.5", "-0.01", "9999999.99", "1.105"),
            "w", List.of("0", "2.5", "-0.0001", "99999999999999.9999"),
            "d", List.of("0", "0.5", "-2.5", "1e15", "CAST(-0.5 AS DOUBLE)"),
            "s", List.of("'a'", "''", "'é'", "'B'", "'a b'"),
            "t", List.of("DATE '2026-01-31'", "DATE '1969-12-31'", "DATE '9999-12-31'", "DATE '0001-01-01'"),
            "f", List.of("TRUE", "FALSE")));

    private final Random random;
    private final List<MatrixTable> tables = new ArrayList<>();
    private final List<MatrixCell> cells = new ArrayList<>();

    /**
     * Tables and statements of this seed.
     *
     * @param rows number of rows of the larger tables
     */
    public SqlMatrix(long seed, int rows) {
        random = new Random(seed);
        tables.add(table("mp", 4, PLAIN, rows));
        tables.add(table("mq", 3, PLAIN, rows / 3));
        tables.add(table("mx", 4, EXTREME, rows));
        tables.add(table("my", 2, EXTREME, rows / 3));
        tables.add(table("me", 2, PLAIN, 0));
        for (String table : List.of("mp", "mx", "me")) {
            TYPED.forEach(column -> column(table, column));
            rows(table);
        }
    }

    /** All tables. */
    public List<MatrixTable> tables() {
        return Collections.unmodifiableList(tables);
    }

    /** All statements. */
    public List<MatrixCell> cells() {
        return Collections.unmodifiableList(cells);
    }

    /**
     * A sample of all statements, chosen by the seed.
     *
     * @param percent size of the sample in percent
     * @param only regular expression that each statement must contain; empty for all
     */
    public List<MatrixCell> sample(int percent, String only) {
        Pattern wanted = Pattern.compile(only);
        return cells.stream()
                .filter(cell -> random.nextInt(100) < percent)
                .filter(cell -> wanted.matcher(cell.sql()).find())
                .toList();
    }

    private MatrixTable table(String name, int actors, Map<String, List<Object>> values, int count) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<@Nullable Object> row = new ArrayList<>();
            row.add((long) i);
            row.add(random.nextInt(8) == 0 ? null : (long) random.nextInt(GROUPS));
            for (String column : TYPED) {
                List<Object> some = values.getOrDefault(column, List.of());
                // Each value occurs at least once, whatever the seed.
                row.add(i < some.size() ? some.get(i) : value(some));
            }
            rows.add(Collections.unmodifiableList(row));
        }
        return new MatrixTable(name, COLUMNS, actors, rows);
    }

    private @Nullable Object value(List<Object> some) {
        return random.nextInt(5) == 0 ? null : some.get(random.nextInt(some.size()));
    }

    private void add(String table, String sql) {
        add(table, sql, "");
    }

    private void add(String table, String sql, String wider) {
        cells.add(new MatrixCell(table, sql, wider));
    }

    private void column(String table, String c) {
        counts(table, c);
        groups(table, c);
        orders(table, c);
        conditions(table, c);
        joins(table, c);
        if (NUMBERS.contains(c)) {
            sums(table, c);
            arithmetic(table, c);
        }
        casts(table, c);
        switch (c) {
            case "s" -> texts(table);
            case "t" -> days(table);
            case "f" -> truths(table);
            default -> {}
        }
    }

    private void counts(String table, String c) {
        add(table, "SELECT count(*), count(" + c + "), min(" + c + "), max(" + c + ") FROM " + table);
        add(table, "SELECT count(DISTINCT " + c + ") FROM " + table);
        add(table, "SELECT min(DISTINCT " + c + "), max(DISTINCT " + c + ") FROM " + table);
        add(table, "SELECT k, count(" + c + "), min(" + c + "), max(" + c + ") FROM " + table + " GROUP BY k");
        add(table, "SELECT k, count(DISTINCT " + c + ") FROM " + table + " GROUP BY k");
        add(table, "SELECT count(" + c + ") FILTER (WHERE k > 0), min(" + c + ") FILTER (WHERE k > 99) FROM " + table);
        add(table, "SELECT id, " + c + " FROM " + table);
    }

    private void groups(String table, String c) {
        add(table, "SELECT " + c + ", count(*), min(id), max(k) FROM " + table + " GROUP BY " + c);
        add(table, "SELECT " + c + ", k, count(*) FROM " + table + " GROUP BY " + c + ", k");
        add(table, "SELECT DISTINCT " + c + " FROM " + table);
        add(table, "SELECT DISTINCT " + c + ", k FROM " + table);
        add(table, "SELECT " + c + " FROM " + table + " GROUP BY " + c + " HAVING count(*) > 1");
        add(table, "SELECT k, count(*) FROM " + table + " GROUP BY k HAVING max(" + c + ") IS NULL");
        add(table, "SELECT " + c + " IS NULL, count(*) FROM " + table + " GROUP BY " + c + " IS NULL");
        String constant = constant(c);
        add(
                table,
                "SELECT coalesce(" + c + ", " + constant + "), count(*) FROM " + table + " GROUP BY coalesce(" + c
                        + ", " + constant + ")");
        add(
                table,
                "SELECT " + c + ", count(*) AS x FROM " + table + " GROUP BY " + c + " ORDER BY " + c
                        + " NULLS LAST LIMIT 3");
        add(
                table,
                "SELECT " + c + ", count(*) AS x FROM " + table + " GROUP BY " + c + " ORDER BY x DESC, " + c
                        + " NULLS FIRST LIMIT 4 OFFSET 1");
    }

    private void orders(String table, String c) {
        for (String way :
                List.of("", " NULLS LAST", " NULLS FIRST", " DESC", " DESC NULLS LAST", " DESC NULLS FIRST")) {
            add(table, "SELECT id, " + c + " FROM " + table + " ORDER BY " + c + way + ", id");
            add(table, "SELECT id, " + c + " FROM " + table + " ORDER BY " + c + way + ", id LIMIT 4");
            add(table, "SELECT " + c + " FROM " + table + " ORDER BY " + c + way + " LIMIT 3");
            add(
                    table,
                    "SELECT id, " + c + " AS x FROM " + table + " ORDER BY k" + way + ", x" + way
                            + ", id DESC LIMIT 5 OFFSET 3");
        }
        add(table, "SELECT DISTINCT " + c + " FROM " + table + " ORDER BY " + c + " NULLS LAST LIMIT 3");
        add(table, "SELECT DISTINCT " + c + " FROM " + table + " ORDER BY " + c + " DESC LIMIT 3 OFFSET 1");
        add(table, "SELECT id FROM " + table + " ORDER BY coalesce(" + c + ", " + constant(c) + "), id LIMIT 5");
    }

    private void conditions(String table, String c) {
        String from = "SELECT id FROM " + table + " WHERE ";
        add(table, from + c + " IS NULL");
        add(table, from + c + " IS NOT NULL");
        add(table, from + "NOT (" + c + " IS NULL)");
        add(table, from + c + " = " + c);
        add(table, from + c + " <> " + c);
        add(table, from + c + " IN (NULL)");
        for (String constant : CONSTANTS.getOrDefault(c, List.of())) {
            for (String comparison :
                    List.of("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")) {
                add(table, from + c + " " + comparison + " " + constant);
            }
            add(table, from + "NOT (" + c + " = " + constant + ")");
            add(table, from + "(" + c + " < " + constant + ") IS NOT TRUE");
            add(table, from + c + " IN (" + constant + ", NULL)");
            add(table, from + c + " IN (" + constant + ", " + constant(c) + ")");
            add(table, from + c + " NOT IN (" + constant + ", " + constant(c) + ")");
            add(table, from + c + " NOT IN (" + constant + ", NULL)");
            add(table, from + c + " BETWEEN " + constant(c) + " AND " + constant);
            add(table, from + c + " NOT BETWEEN " + constant(c) + " AND " + constant);
            add(table, "SELECT id, coalesce(" + c + ", " + constant + ") FROM " + table);
            add(table, "SELECT id, nullif(" + c + ", " + constant + ") FROM " + table);
            add(
                    table,
                    "SELECT id, CASE WHEN " + c + " = " + constant + " THEN 1 WHEN " + c + " > " + constant
                            + " THEN 2 ELSE 3 END FROM " + table);
            add(table, "SELECT id, CASE " + c + " WHEN " + constant + " THEN 'x' END FROM " + table);
        }
        add(table, "SELECT id, CASE WHEN k = 1 THEN " + c + " END FROM " + table);
        add(
                table,
                "SELECT CASE WHEN k = 1 THEN " + c + " END AS x, count(*) FROM " + table
                        + " GROUP BY CASE WHEN k = 1 THEN " + c + " END");
    }

    private String constant(String c) {
        List<String> all = CONSTANTS.getOrDefault(c, List.of("NULL"));
        return all.get(random.nextInt(all.size()));
    }

    private void joins(String table, String c) {
        String other = table.equals("mx") ? "my" : "mq";
        String on = " ON a." + c + " = b." + c;
        String both = " FROM " + table + " a JOIN " + other + " b" + on;
        add(table, "SELECT count(*), sum(a.id), sum(b.id)" + both);
        add(table, "SELECT a.id, b.id AS x" + both);
        add(table, "SELECT a." + c + ", count(*)" + both + " GROUP BY a." + c);
        add(
                table,
                "SELECT count(*), count(b.id), count(a." + c + ") FROM " + table + " a LEFT JOIN " + other + " b" + on);
        add(table, "SELECT a.id FROM " + table + " a LEFT JOIN " + other + " b" + on + " WHERE b.id IS NULL");
        add(table, "SELECT count(*), count(a.id) FROM " + table + " a RIGHT JOIN " + other + " b" + on);
        add(table, "SELECT count(*)" + both + " AND a.k = b.k");
        add(
                table,
                "SELECT a.id, b.id AS x FROM " + table + " a LEFT JOIN " + other + " b ON a.k = b.k AND a." + c
                        + " = b." + c);
        add(
                table,
                "SELECT count(*)" + both + " JOIN " + table + " c ON c.id = a.id AND c.k = b.k AND c." + c + " = b."
                        + c);
        add(table, "SELECT count(*) FROM " + table + " a, " + other + " b WHERE a.k = b.k AND a." + c + " = b." + c);
        add(table, "SELECT count(*) FROM " + table + " a JOIN " + table + " b" + on);
        add(
                table,
                "SELECT a." + c + " = b." + c + ", count(*) FROM " + table + " a JOIN " + other
                        + " b ON a.id = b.id GROUP BY a." + c + " = b." + c);
        add(
                table,
                "SELECT b." + c + ", count(*) FROM " + table + " a LEFT JOIN " + other + " b ON a.id = b.id GROUP BY b."
                        + c);
        add(
                table,
                "SELECT count(*) FROM " + table + " a LEFT JOIN " + other + " b ON a.id = b.id WHERE b." + c
                        + " IS NULL");
        add(
                table,
                "SELECT a.id, b." + c + " FROM " + table + " a JOIN " + other + " b ON a.id = b.id ORDER BY b." + c
                        + " NULLS LAST, a.id LIMIT 4");
        add(table, "SELECT id FROM " + table + " WHERE " + c + " IN (SELECT " + c + " FROM " + other + ")");
        add(table, "SELECT id FROM " + table + " WHERE " + c + " NOT IN (SELECT " + c + " FROM " + other + ")");
        add(
                table,
                "SELECT id FROM " + table + " WHERE " + c + " NOT IN (SELECT " + c + " FROM " + other + " WHERE " + c
                        + " IS NOT NULL)");
        add(table, "SELECT id, (SELECT max(b." + c + ") FROM " + other + " b WHERE b.k = a.k) FROM " + table + " a");
        add(table, "SELECT count(*) FROM (SELECT DISTINCT " + c + " FROM " + table + ") x");
    }

    private void sums(String table, String c) {
        String bounded = table.equals("mx") && c.equals("d") ? " WHERE abs(d) < 1e300" : "";
        String from = " FROM " + table + bounded;
        String wide = c.equals("d")
                ? ""
                : "CAST(" + c + " AS DECIMAL(38, " + (c.equals("m") ? 2 : c.equals("w") ? 4 : 0) + "))";
        for (String values :
                List.of("sum(%s)", "avg(%s)", "sum(%s), count(%s), avg(%s)", "sum(DISTINCT %s)", "avg(DISTINCT %s)")) {
            add(table, "SELECT " + values.replace("%s", c) + from);
            add(table, "SELECT k, " + values.replace("%s", c) + from + " GROUP BY k");
        }
        add(table, "SELECT sum(" + c + ") FILTER (WHERE k > 0), avg(" + c + ") FILTER (WHERE k > 99)" + from);
        add(table, "SELECT k" + from + " GROUP BY k HAVING sum(" + c + ") > 0");
        add(table, "SELECT k, sum(" + c + ")" + from + " GROUP BY k ORDER BY k NULLS LAST LIMIT 2");
        add(table, "SELECT sum(" + c + ") FROM " + table + " WHERE id < 0");
        add(table, "SELECT avg(" + c + "), count(*) FROM " + table + " WHERE " + c + " IS NULL");
        for (String value : List.of("%s * 2", "%s + 1", "-%s")) {
            add(
                    table,
                    "SELECT sum(" + value.replace("%s", c) + ")" + from,
                    wide.isEmpty() ? "" : "SELECT sum(" + value.replace("%s", wide) + ")" + from);
        }
        add(table, "SELECT sum(CASE WHEN " + c + " > 0 THEN 1 ELSE 0 END), avg(coalesce(" + c + ", 0))" + from);
        if (c.equals("d")) {
            add(table, "SELECT sum(d), avg(d), max(d) FROM " + table + " WHERE d > 1e300");
            add(table, "SELECT max(d * 1e308 * 10), count(d * 1e308 * 10) FROM " + table);
            add(
                    table,
                    "SELECT k, max(d * 1e308 * 1e308 * 0), count(DISTINCT d * 1e308 * 1e308 * 0) FROM " + table
                            + " GROUP BY k");
        }
    }

    private void arithmetic(String table, String c) {
        int scale = c.equals("m") ? 2 : c.equals("w") ? 4 : 0;
        String wide = c.equals("d") ? "" : "CAST(" + c + " AS DECIMAL(26, " + scale + "))";
        for (String value : List.of(
                "%s + 1",
                "%s - 1",
                "1 - %s",
                "%s * 2",
                "%s * 3 * 5",
                "%s + 2147483647",
                "%s + 2147483647 + 2147483647",
                "%s * 4611686018427387904 * 4",
                "%s + 9223372036854775807 + 1",
                "%s - 9223372036854775807 - 2",
                "%s + %s",
                "%s - %s",
                "%s * %s",
                "-%s",
                "+%s",
                "-(-%s)",
                "abs(%s)",
                "%s / 2",
                "%s / 3.0",
                "%s / 1e-300",
                "%s / nullif(%s, 0)",
                "1 / nullif(%s, 0)",
                "%s % 3",
                "%s % nullif(%s, 0)",
                "7 % nullif(%s, 0)",
                "%s * 1.5",
                "%s * 0",
                "%s * -1",
                "%s * 1e10",
                "%s * 1e308 * 10",
                "%s + 0.001",
                "%s + d",
                "%s * d",
                "%s + n",
                "%s * n",
                "%s - b",
                "%s * m",
                "round(%s, 0)",
                "round(%s, 1)",
                "floor(%s)",
                "ceil(%s)",
                "coalesce(%s, 0.5)",
                "CASE WHEN %s > 0 THEN %s ELSE 0.25 END",
                "nullif(%s, %s)")) {
            String wider = wide.isEmpty() ? "" : "SELECT id, " + value.replace("%s", wide) + " FROM " + table;
            String x = value.replace("%s", c);
            add(table, "SELECT id, " + x + " FROM " + table, wider);
            add(
                    table,
                    "SELECT count(*) FROM " + table + " WHERE " + x + " > 1",
                    wide.isEmpty()
                            ? ""
                            : "SELECT count(*) FROM " + table + " WHERE " + value.replace("%s", wide) + " > 1");
            if (!x.contains("1e308")) {
                add(
                        table,
                        "SELECT " + x + ", count(*) FROM " + table + " GROUP BY " + x,
                        wide.isEmpty()
                                ? ""
                                : "SELECT " + value.replace("%s", wide) + ", count(*) FROM " + table + " GROUP BY "
                                        + value.replace("%s", wide));
            }
        }
        zeros(table, c);
    }

    private void zeros(String table, String c) {
        for (String divisor : List.of("0", "0.0", "(k - k)")) {
            add(table, "SELECT " + c + " / " + divisor + " FROM " + table);
            add(table, "SELECT " + c + " % " + divisor + " FROM " + table);
        }
        add(table, "SELECT id FROM " + table + " WHERE -" + c + " IN (0, 0.5, -1)");
        add(table, "SELECT id, nullif(" + c + " * -1, 0), CASE -" + c + " WHEN 0 THEN 1 ELSE 2 END FROM " + table);
        add(table, "SELECT id FROM " + table + " ORDER BY " + c + " * -1 NULLS LAST, id LIMIT 7");
        add(table, "SELECT min(" + c + " * 0), max(-" + c + " * 0) FROM " + table);
        add(table, "SELECT DISTINCT -" + c + " * 0 FROM " + table);
        add(table, "SELECT count(DISTINCT " + c + " * 0) FROM " + table);
        add(table, "SELECT count(DISTINCT -" + c + ") FROM " + table);
    }

    private void casts(String table, String c) {
        List<String> types = switch (c) {
            case "s" -> List.of("VARCHAR");
            case "t" -> List.of("VARCHAR", "DATE");
            case "f" -> List.of("VARCHAR", "INTEGER");
            default ->
                List.of("VARCHAR", "INTEGER", "BIGINT", "DOUBLE", "DECIMAL(9, 1)", "DECIMAL(18, 2)", "DECIMAL(5)");
        };
        for (String type : types) {
            add(table, "SELECT id, CAST(" + c + " AS " + type + ") FROM " + table);
            add(
                    table,
                    "SELECT CAST(" + c + " AS " + type + ") AS x, count(*) FROM " + table + " GROUP BY CAST(" + c
                            + " AS " + type + ")");
        }
        for (String value : CONSTANTS.getOrDefault(c, List.of())) {
            for (String type : types) {
                add(
                        table,
                        "SELECT count(*) FROM " + table + " WHERE CAST(" + c + " AS " + type + ") = CAST(" + value
                                + " AS " + type + ")");
            }
        }
    }

    private void texts(String table) {
        for (String value : List.of(
                "s || '!'",
                "'<' || s || '>'",
                "s || s",
                "upper(s)",
                "lower(s)",
                "char_length(s)",
                "substring(s FROM 1 FOR 1)",
                "substring(s FROM 2)",
                "substring(s FROM 1 FOR 0)",
                "coalesce(s, '')",
                "coalesce(s, '') || 'x'",
                "trim(s)",
                "nullif(s, '')",
                "CASE WHEN s = '' THEN 'empty' ELSE s END")) {
            add(table, "SELECT id, " + value + " FROM " + table);
            add(table, "SELECT " + value + ", count(*) FROM " + table + " GROUP BY " + value);
        }
        for (String pattern : List.of("a%", "%a", "_", "%", "", "%é%", "a_b", "A", "%😀%")) {
            add(table, "SELECT id FROM " + table + " WHERE s LIKE '" + pattern + "'");
            add(table, "SELECT id FROM " + table + " WHERE s NOT LIKE '" + pattern + "'");
        }
        add(table, "SELECT id FROM " + table + " WHERE s LIKE '!%' ESCAPE '!'");
        add(table, "SELECT id FROM " + table + " WHERE s = '\\'");
        add(table, "SELECT id, CAST(s AS INTEGER) FROM " + table);
        add(
                table,
                "SELECT id, CAST(s AS INTEGER), CAST(s AS DOUBLE), CAST(s AS DECIMAL(5, 1)) FROM " + table
                        + " WHERE s IN ('7', '-2')");
    }

    private void days(String table) {
        for (int amount : List.of(1, 11, 12, 13, -1, 1_200)) {
            for (String unit : List.of("DAY", "MONTH", "YEAR")) {
                String value =
                        amount < 0 ? "t - INTERVAL '" + -amount + "' " + unit : "t + INTERVAL '" + amount + "' " + unit;
                add(table, "SELECT id, " + value + " FROM " + table);
                add(table, "SELECT " + value + ", count(*) FROM " + table + " GROUP BY " + value);
                add(table, "SELECT id FROM " + table + " WHERE " + value + " > DATE '2026-03-01'");
            }
        }
        add(table, "SELECT id FROM " + table + " WHERE t < DATE '2024-02-29' + INTERVAL '12' MONTH");
        for (String unit : List.of("YEAR", "QUARTER", "MONTH", "DAY")) {
            String value = "EXTRACT(" + unit + " FROM t)";
            add(table, "SELECT id, " + value + " FROM " + table);
            add(table, "SELECT " + value + ", count(*) FROM " + table + " GROUP BY " + value);
        }
    }

    private void truths(String table) {
        for (String condition : List.of(
                "f",
                "NOT f",
                "f IS TRUE",
                "f IS NOT TRUE",
                "f IS FALSE",
                "f IS NOT FALSE",
                "f IS UNKNOWN",
                "f AND k > 0",
                "f OR k > 0",
                "f AND NULL IS NULL",
                "NOT (f OR k > 1)",
                "f = (k > 0)",
                "f <> TRUE")) {
            add(table, "SELECT id FROM " + table + " WHERE " + condition);
            add(table, "SELECT id, " + condition + " FROM " + table);
            add(table, "SELECT id, CASE WHEN " + condition + " THEN 1 ELSE 0 END FROM " + table);
            add(table, "SELECT count(*) FILTER (WHERE " + condition + ") FROM " + table);
        }
    }

    /** Adds statements over several columns. */
    private void rows(String table) {
        add(table, "SELECT s, d, n, count(*) FROM " + table + " GROUP BY s, d, n");
        add(table, "SELECT DISTINCT d, n FROM " + table);
        add(table, "SELECT count(DISTINCT d), count(DISTINCT n), count(DISTINCT s) FROM " + table);
        add(table, "SELECT k, count(DISTINCT d), sum(DISTINCT n), min(s), max(t) FROM " + table + " GROUP BY k");
        add(table, "SELECT id, coalesce(n, b, m), coalesce(d, m) FROM " + table);
        add(table, "SELECT id, CASE WHEN f THEN n ELSE m END, CASE WHEN f THEN d ELSE n END FROM " + table);
        add(table, "SELECT count(*) FROM " + table + " WHERE n = d OR m = w OR b > d");
        add(table, "SELECT count(*) FROM " + table + " a JOIN " + table + " b ON a.n = b.b");
        add(table, "SELECT count(*) FROM " + table + " a JOIN " + table + " b ON a.m = b.w");
        add(table, "SELECT count(*) FROM " + table + " a JOIN " + table + " b ON a.n = b.d");
        add(table, "SELECT count(*) FROM " + table + " a JOIN " + table + " b ON a.d = -b.d");
        add(table, "SELECT count(*) FROM " + table + " a JOIN " + table + " b ON a.d = b.d * 0");
        add(table, "SELECT id FROM " + table + " ORDER BY d, s, n, id LIMIT 6");
        add(table, "SELECT id, 1 / 0 FROM " + table);
        add(table, "SELECT NULL, count(*) FROM " + table);
    }
}
