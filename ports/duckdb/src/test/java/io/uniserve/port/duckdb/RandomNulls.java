package io.uniserve.port.duckdb;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Random queries, by a seed, over small tables with NULLs and duplicate keys: nested expressions of all types, joins by any columns with
 * more conditions in ON, sub-queries in expressions, ON and FROM. Their order is total. Few of them are unsupported.
 */
final class RandomNulls {
    static final String COLUMNS =
            ", a bigint, b integer, c decimal(12,2), d double, s varchar, dt date, f boolean, e decimal(9,3)";

    private static final List<String> TABLES = List.of("t", "u", "v", "t", "u", "v", "t", "u", "v", "o", "e");
    private static final String NUMBERS = "IND";
    private static final String TYPES = "INDSTB";
    private static final int NESTED_MAX = 2;

    private final Random random;
    private int names;

    /** Column of a table: whole number, decimal number, double, text, date or boolean. */
    private record Column(String name, char type) {}

    private record Table(String alias, List<Column> columns) {}

    RandomNulls(Random random) {
        this.random = random;
    }

    /** Returns a row's values after its key. */
    static String row(Random random) {
        List<List<String>> all = List.of(
                List.of("-2", "-1", "0", "1", "2", "3", "4", "5"),
                List.of("-1", "0", "1", "2", "3", "6"),
                List.of("0.00", "1.00", "2.00", "3.50", "-1.25", "99.99"),
                List.of("0.0", "-0.5", "1.0", "2.0", "2.5", "1000000000000"),
                List.of(
                        "a",
                        "b",
                        "A",
                        "ab",
                        "a_b",
                        "a%b",
                        "é",
                        "日本",
                        " a",
                        "10",
                        "z'z",
                        "😀",
                        "𝒜",
                        "ﬁ",
                        "～a",
                        "e\u0301",
                        "\u0001",
                        "\ue000",
                        "\uffff",
                        "\ud83d\ude00\u0301"),
                List.of("2020-02-29", "2019-02-28", "2020-01-31", "1999-12-31", "1900-02-28"),
                List.of("true", "false"),
                List.of("0.000", "1.000", "2.500", "0.125"));
        StringBuilder row = new StringBuilder();
        for (List<String> values : all) {
            row.append(random.nextInt(5) == 0 ? "" : values.get(random.nextInt(values.size())));
            row.append('|');
        }
        return row.toString();
    }

    String next() {
        names = 0;
        Level level = new Level(0, List.of());
        List<String> where = new ArrayList<>();
        String from = level.from(1 + random.nextInt(4), where);
        boolean grouped = random.nextBoolean();
        boolean distinct = one(4);
        List<String> items = new ArrayList<>();
        List<String> groups = new ArrayList<>();
        for (int i = random.nextInt(3); grouped && i > 0; i--) {
            items.add(level.expression(type(), 2));
            groups.add(String.valueOf(items.size()));
        }
        for (int i = random.nextInt(3); i >= 0; i--) {
            items.add(grouped ? level.ofGroups(type()) : level.expression(type(), random.nextInt(4)));
        }
        String by = groups.isEmpty() ? "" : " GROUP BY " + String.join(", ", groups);
        String having = grouped && one(3)
                ? " HAVING " + level.aggregate('I') + compare() + (one(2) ? "1" : level.aggregate('N'))
                : "";
        List<String> order = new ArrayList<>();
        if (!distinct && one(3)) {
            order.add(
                    (grouped ? level.aggregate('I') : "coalesce(" + level.expression('S', 1) + ", '')") + direction());
        }
        IntStream.rangeClosed(1, items.size()).forEach(i -> order.add(i + direction()));
        if (one(3)) {
            where.add(level.expression('B', 2));
        }
        String rows = one(2) ? "" : " LIMIT " + random.nextInt(20) + (one(2) ? "" : " OFFSET " + random.nextInt(6));
        return "SELECT " + (distinct ? "DISTINCT " : "") + String.join(", ", items) + " FROM " + from + where(where)
                + by + having + " ORDER BY " + String.join(", ", order) + rows;
    }

    private static String where(List<String> conditions) {
        return conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
    }

    private boolean one(int of) {
        return random.nextInt(of) == 0;
    }

    private String of(String... some) {
        return some[random.nextInt(some.length)];
    }

    private char type() {
        return TYPES.charAt(random.nextInt(TYPES.length()));
    }

    private String not() {
        return of("", "NOT ");
    }

    private String compare() {
        return of(" = ", " = ", " <> ", " < ", " <= ", " > ", " >= ");
    }

    private String direction() {
        return of("", "", " DESC", " NULLS FIRST", " DESC NULLS FIRST", " DESC NULLS LAST");
    }

    private String constant(char type) {
        return switch (type) {
            case 'I' -> of("0", "1", "2", "3", "-1", "10");
            case 'N' -> of("0.0", "1.0", "2.50", "-1.25", "0.125");
            case 'D' -> of("1e0", "2.5e0", "0e0", "5e-1");
            case 'S' -> of("'a'", "''", "'ab'", "'é'", "'a_b'", "'z''z'", "'😀'", "'ﬁ'", "'\uffff'", "'e\u0301'");
            case 'T' -> of("DATE '2020-02-29'", "DATE '2020-01-31'", "DATE '1999-12-31'");
            default -> of("TRUE", "FALSE");
        };
    }

    private static List<Column> columns(String table) {
        List<Column> all = new ArrayList<>();
        all.add(new Column("id", table.equals("u") ? 'S' : 'I'));
        for (String one : List.of("aI", "bI", "cN", "dD", "sS", "fB", "eN")) {
            all.add(new Column(one.substring(0, 1), one.charAt(1)));
        }
        all.add(new Column("dt", 'T'));
        return all;
    }

    /** Names of one SELECT, and its nesting depth. */
    private final class Level {
        private final int nested;
        private final List<Table> outer;
        private final List<Table> scope = new ArrayList<>();

        Level(int nested, List<Table> outer) {
            this.nested = nested;
            this.outer = outer;
        }

        private Level within(List<Table> around) {
            return new Level(nested + 1, around);
        }

        private String column(List<Table> tables, char type) {
            List<String> all = tables.stream()
                    .flatMap(table -> table.columns().stream()
                            .filter(column -> column.type() == type)
                            .map(column -> table.alias() + "." + column.name()))
                    .toList();
            return all.isEmpty() ? "" : all.get(random.nextInt(all.size()));
        }

        private String columnOr(char type) {
            String column = one(5) ? "" : column(scope, type);
            return column.isEmpty() ? constant(type) : column;
        }

        /** Returns tables joined by one equality each; those of comma joins go to WHERE. */
        String from(int count, List<String> where) {
            StringBuilder from = new StringBuilder();
            boolean commas = one(3);
            for (int i = 0; i < count; i++) {
                List<Column> columns = new ArrayList<>();
                boolean derived = nested < NESTED_MAX && one(6);
                String source = derived ? derived(columns) : TABLES.get(random.nextInt(TABLES.size()));
                columns.addAll(derived ? List.of() : columns(source));
                Table table = new Table("q" + names++, columns);
                String read = source + " AS " + table.alias();
                if (i == 0) {
                    from.append(read);
                } else if (commas) {
                    from.append(", ").append(read);
                    where.add(equality(table));
                } else {
                    from.append(of(" JOIN ", " JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN "))
                            .append(read)
                            .append(" ON ")
                            .append(equality(table));
                }
                scope.add(table);
                if (i > 0 && !commas && one(4)) {
                    from.append(" AND ").append(new Level(NESTED_MAX, List.of(), scope).expression('B', 2));
                }
            }
            return from.toString();
        }

        private Level(int nested, List<Table> outer, List<Table> scope) {
            this(nested, outer);
            this.scope.addAll(scope);
        }

        /** Returns an equality. The first columns of all tables except {@code u} are whole numbers, and so is column {@code a} of that. */
        private String equality(Table table) {
            for (int tries = 0; tries < 9; tries++) {
                char type = type();
                String mine = column(List.of(table), type);
                String other = column(scope, NUMBERS.indexOf(type) < 0 ? type : NUMBERS.charAt(random.nextInt(3)));
                if (type != 'B' && !mine.isEmpty() && !other.isEmpty()) {
                    return one(2) ? mine + " = " + other : other + " = " + mine;
                }
            }
            return column(scope, 'I') + " = " + column(List.of(table), 'I');
        }

        private String derived(List<Column> columns) {
            Level inner = within(List.of());
            List<String> where = new ArrayList<>();
            String from = inner.from(1 + random.nextInt(2), where);
            boolean grouped = one(2);
            List<String> items = new ArrayList<>(List.of(inner.column(inner.scope, 'I') + " AS k0"));
            columns.add(new Column("k0", 'I'));
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                char type = type();
                String value = grouped ? inner.aggregate(type) : inner.expression(type, 2);
                items.add(value + " AS k" + columns.size());
                columns.add(new Column("k" + columns.size(), type));
            }
            if (one(2)) {
                where.add(inner.expression('B', 2));
            }
            return "(SELECT " + (one(5) ? "DISTINCT " : "") + String.join(", ", items) + " FROM " + from + where(where)
                    + (grouped ? " GROUP BY 1" : "") + ")";
        }

        /** Adds conditions on the outer query; at least one of them is an equality. */
        private void correlate(List<String> where, boolean more) {
            char type = of("I", "I", "S", "N", "T").charAt(0);
            String mine = column(scope, type);
            String other = column(outer, type);
            if (one(3) || mine.isEmpty() || other.isEmpty()) {
                return;
            }
            where.add(one(2) ? mine + " = " + other : other + " = " + mine);
            if (more && one(2)) {
                where.add(of(
                        mine + compare() + column(outer, type),
                        "(" + column(scope, type) + compare() + other + " OR " + mine + " IS NULL)",
                        "coalesce(" + column(scope, type) + ", " + other + ")" + compare() + other));
            }
        }

        private String scalar(char type) {
            Level inner = within(scope);
            List<String> where = new ArrayList<>();
            String from = inner.from(1, where);
            inner.correlate(where, false);
            if (one(2)) {
                where.add(inner.expression('B', 1));
            }
            return "(SELECT " + inner.aggregate(type) + " FROM " + from + where(where) + ")";
        }

        private String subQuery() {
            Level inner = within(scope);
            List<String> where = new ArrayList<>();
            String from = inner.from(1 + random.nextInt(2), where);
            inner.correlate(where, true);
            if (one(2)) {
                where.add(inner.expression('B', 1));
            }
            char type = of("I", "S", "N", "T").charAt(0);
            return one(2)
                    ? "(" + not() + "EXISTS (SELECT 1 FROM " + from + where(where) + "))"
                    : "(" + expression(type, 1) + " " + not() + "IN (SELECT " + inner.expression(type, 1) + " FROM "
                            + from + where(where) + "))";
        }

        String expression(char type, int depth) {
            if (depth <= 0 || one(3)) {
                return columnOr(type);
            }
            int less = depth - 1;
            return switch (random.nextInt(8)) {
                case 0 ->
                    "CASE WHEN " + expression('B', less) + " THEN " + expression(type, less)
                            + (one(3) ? "" : " ELSE " + expression(type, less)) + " END";
                case 1 -> "coalesce(" + expression(type, less) + ", " + expression(type, less) + ")";
                case 2 -> "nullif(" + expression(type, less) + ", " + expression(type, less) + ")";
                case 3 -> nested < NESTED_MAX && type != 'B' ? scalar(type) : columnOr(type);
                default -> ofType(type, less);
            };
        }

        private String ofType(char type, int less) {
            return switch (type) {
                case 'I' ->
                    of(
                            "(" + expression('I', less) + of(" + ", " - ", " * ") + expression('I', less) + ")",
                            "abs(" + expression('I', less) + ")",
                            "extract(" + of("year", "month", "day", "quarter") + " from " + expression('T', less) + ")",
                            "char_length(" + expression('S', less) + ")",
                            "(" + expression('I', less) + " % " + of("2", "3", "-4") + ")",
                            "CAST(" + expression('N', less) + " AS BIGINT)");
                case 'N' ->
                    of(
                            "(" + expression(of("N", "I").charAt(0), less) + of(" + ", " - ") + expression('N', less)
                                    + ")",
                            "round(" + expression('N', less) + ", " + random.nextInt(3) + ")",
                            "(" + columnOr('N') + " * " + columnOr('N') + ")",
                            "CAST(" + expression('D', less) + " AS DECIMAL(" + of("20,1", "18,3", "38,2") + "))");
                case 'D' ->
                    of(
                            "(" + expression('D', less) + of(" + ", " - ") + expression('N', less) + ")",
                            "(" + expression('I', less) + " / " + of("2", "4", "0.5") + ")",
                            "CAST(" + expression('I', less) + " AS DOUBLE)");
                case 'S' ->
                    of(
                            "(" + expression('S', less) + " || " + expression('S', less) + ")",
                            of("upper", "lower", "trim") + "(" + expression('S', less) + ")",
                            "substring(" + expression('S', less) + " from " + of("1", "2", "-1") + " for 2)",
                            "CAST(" + expression('I', less) + " AS VARCHAR)");
                case 'T' ->
                    "CAST((" + expression('T', less) + of(" + ", " - ") + "INTERVAL '" + of("1", "12", "30") + "' "
                            + of("DAY", "MONTH", "YEAR") + ") AS DATE)";
                default -> condition(less);
            };
        }

        private String condition(int less) {
            char type = "INDST".charAt(random.nextInt(5));
            char other = NUMBERS.indexOf(type) < 0 ? type : NUMBERS.charAt(random.nextInt(3));
            String value = expression(type, less);
            return switch (random.nextInt(13)) {
                case 0 -> "(" + value + " IS " + not() + "NULL)";
                case 1 -> "(" + expression('B', less) + of(" AND ", " OR ") + expression('B', less) + ")";
                case 2 -> "(NOT " + expression('B', less) + ")";
                case 3 ->
                    "(" + value + " " + not() + "BETWEEN " + expression(other, less) + " AND " + expression(other, less)
                            + ")";
                case 4 ->
                    "(" + value + " " + not() + "IN (" + constant(type) + ", " + expression(other, less)
                            + of(", NULL", "") + "))";
                case 5 ->
                    "(" + expression('S', less) + " " + not() + "LIKE "
                            + of("'a%'", "'_'", "'%b'", "'a!_b' ESCAPE '!'", "'%é%'", "''") + ")";
                case 6 -> "(" + expression('B', less) + " IS " + not() + of("TRUE", "FALSE", "UNKNOWN") + ")";
                case 7 -> "(" + value + " IS " + not() + "DISTINCT FROM " + expression(other, less) + ")";
                case 8, 9, 10 ->
                    nested < NESTED_MAX ? subQuery() : "(" + value + compare() + expression(other, less) + ")";
                default -> "(" + value + compare() + expression(other, less) + ")";
            };
        }

        /** Returns sums of exact values, and averages of columns. */
        String aggregate(char type) {
            String distinct = one(4) ? "DISTINCT " : "";
            String filter = one(5) ? " FILTER (WHERE " + expression('B', 1) + ")" : "";
            String least = of("min", "max") + "(" + expression(type, 1) + ")";
            return switch (type) {
                case 'I' ->
                    of(
                                    "count(*)",
                                    "count(" + distinct + expression(type(), 1) + ")",
                                    "sum(" + distinct + columnOr('I') + ")",
                                    least)
                            + filter;
                case 'N' -> of("sum(" + distinct + expression('N', 1) + ")", least) + filter;
                case 'D' -> {
                    String column = column(scope, 'N');
                    yield column.isEmpty() || one(2) ? least + filter : "avg(" + column + ")";
                }
                case 'B' -> "(count(*)" + filter + " > " + random.nextInt(3) + ")";
                default -> least + filter;
            };
        }

        String ofGroups(char type) {
            return switch (type) {
                case 'I' -> "(" + aggregate('I') + " + 1)";
                case 'S' -> "coalesce(" + aggregate('S') + ", 'none')";
                case 'B' -> "(" + aggregate('I') + compare() + aggregate('N') + ")";
                default -> aggregate(type);
            };
        }
    }
}
