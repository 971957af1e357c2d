package io.uniserve.port.duckdb;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random queries, by a seed, of one table and of several with sub-queries of every supported kind. Their order is total, or equal rows are
 * identical.
 */
final class RandomQueries {
    private final Random random;
    private final RandomJoins words;
    private final RandomTops tops;

    RandomQueries(Random random) {
        this.random = random;
        this.words = new RandomJoins(random);
        this.tops = new RandomTops(random, words);
    }

    String next() {
        return switch (random.nextInt(8)) {
            case 0 -> words.next();
            case 1 -> derived();
            case 2 -> joinedWithGroups();
            case 3, 4 -> tops.next();
            default -> conditions();
        };
    }

    /** Returns a query for rows of one or two tables, with one or two sub-queries in WHERE. */
    private String conditions() {
        RandomJoins.Edge edge = words.edge();
        boolean two = random.nextBoolean();
        String table = random.nextBoolean() ? edge.large() : edge.small();
        List<String> tables = two ? List.of(edge.large(), edge.small()) : List.of(table);
        List<String> where = new ArrayList<>();
        if (two) {
            where.add(edge.equality());
        }
        for (String one : tables) {
            if (random.nextBoolean()) {
                where.add(words.condition(one));
            }
        }
        where.add(condition(tables.get(random.nextInt(tables.size()))));
        if (random.nextInt(3) == 0) {
            where.add("(" + condition(tables.get(0)) + " OR " + words.condition(tables.get(0)) + ")");
        }
        String end = " FROM " + String.join(", ", tables) + " WHERE " + String.join(" AND ", where);
        if (random.nextInt(4) == 0) {
            String item = words.number(table);
            return "SELECT " + words.group(table) + ", " + item + ", " + scalar(tables.get(0)) + end
                    + " ORDER BY 1, 2, 3 LIMIT 100";
        }
        return grouped(tables, end);
    }

    private String grouped(List<String> tables, String end) {
        String group = words.group(tables.get(0));
        String last = tables.get(tables.size() - 1);
        String items = group + ", count(*), count(DISTINCT " + words.group(last) + "), sum(" + words.number(last) + ")";
        String having = random.nextInt(4) == 0 ? " HAVING count(*) >= (SELECT min(r_regionkey) + 2 FROM region)" : "";
        return random.nextInt(4) == 0
                ? "SELECT count(DISTINCT " + group + "), count(*), max(" + words.number(last) + ")" + end
                : "SELECT " + items + end + " GROUP BY " + group + having + " ORDER BY 1";
    }

    /** Returns a condition on a table by a sub-query of a table that joins with it. */
    private String condition(String table) {
        RandomJoins.Edge edge = words.edge(table);
        String other = edge.other(table);
        String not = random.nextBoolean() ? "NOT " : "";
        String and = random.nextBoolean() ? " AND " + words.condition(other) : "";
        String own = edge.column(table);
        return switch (random.nextInt(7)) {
            case 0 ->
                own + " " + not + "IN (SELECT " + edge.column(other) + " FROM " + other + " WHERE "
                        + words.condition(other) + ")";
            case 1 -> not + "EXISTS (SELECT * FROM " + other + " WHERE " + edge.equality() + and + ")";
            case 2 -> words.number(table) + " > " + scalar(table);
            case 3 ->
                "(SELECT count(*) FROM " + other + " WHERE " + edge.equality() + and + ") "
                        + (random.nextBoolean() ? "= 0" : "> " + random.nextInt(4));
            case 4 ->
                not + "EXISTS (SELECT 1 FROM " + table + " x WHERE x." + own + " = " + table + "." + own + " AND x."
                        + key(table) + " <> " + table + "." + key(table) + ")";
            case 5 ->
                own + " IN (SELECT " + edge.column(other) + " FROM " + other + " WHERE " + words.condition(other)
                        + " GROUP BY " + edge.column(other) + " HAVING count(*) > " + random.nextInt(3) + ")";
            default -> {
                RandomJoins.Edge next = words.edge(other);
                String third = next.other(other);
                yield not + "EXISTS (SELECT 1 FROM " + other + ", " + third + " y WHERE " + edge.equality() + " AND "
                        + other + "." + next.column(other) + " = y." + next.column(third) + and + ")";
            }
        };
    }

    private static String key(String table) {
        return switch (table) {
            case "lineitem" -> "l_linenumber";
            case "orders" -> "o_orderkey";
            case "customer" -> "c_custkey";
            case "part" -> "p_partkey";
            case "supplier" -> "s_suppkey";
            case "nation" -> "n_nationkey";
            default -> "r_regionkey";
        };
    }

    /** Returns a number by a sub-query, of the row's partners or of all rows. */
    private String scalar(String table) {
        RandomJoins.Edge edge = words.edge(table);
        String other = edge.other(table);
        String aggregate = List.of("min", "max", "sum").get(random.nextInt(3));
        String where = random.nextInt(3) == 0 ? words.condition(other) : edge.equality();
        String and = random.nextBoolean() ? " AND " + words.condition(other) : "";
        return "(SELECT " + aggregate + "(" + words.number(other) + ") / 2 FROM " + other + " WHERE " + where + and
                + ")";
    }

    /** Returns a query over the answer of another. */
    private String derived() {
        String table = words.edge().large();
        String inner = "SELECT " + words.group(table) + " AS g, " + words.number(table) + " AS v FROM " + table
                + " WHERE " + words.condition(table) + (random.nextInt(3) == 0 ? " AND " + condition(table) : "");
        if (random.nextBoolean()) {
            inner = "SELECT g, sum(v) AS v, count(*) AS n FROM (" + inner + ") AS i GROUP BY g";
        }
        return random.nextBoolean()
                ? "SELECT g, count(*), max(v) FROM (" + inner + ") AS d GROUP BY g ORDER BY g"
                : "WITH d AS (" + inner
                        + ") SELECT g, v FROM d WHERE v > (SELECT max(v) / 3 FROM d) ORDER BY g, v LIMIT 50";
    }

    /** Returns a join of a table with groups of another. */
    private String joinedWithGroups() {
        RandomJoins.Edge edge = words.edge();
        String how = random.nextBoolean() ? " JOIN " : " LEFT JOIN ";
        String groups =
                "(SELECT " + edge.column(edge.large()) + " AS k, count(*) AS n, sum(" + words.number(edge.large())
                        + ") AS s FROM " + edge.large() + " WHERE " + words.condition(edge.large()) + " GROUP BY "
                        + edge.column(edge.large()) + ")";
        List<String> items = List.of(words.group(edge.small()), "sum(n)", "max(s)", "count(*)", "count(k)");
        return "SELECT " + String.join(", ", items) + " FROM " + edge.small() + how + groups + " AS d ON d.k = "
                + edge.column(edge.small()) + " WHERE " + words.condition(edge.small()) + " GROUP BY " + items.get(0)
                + " ORDER BY 1";
    }
}
