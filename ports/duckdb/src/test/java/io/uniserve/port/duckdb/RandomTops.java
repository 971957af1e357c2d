package io.uniserve.port.duckdb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random queries, by a seed, for the first groups of a join, by a table's key and columns that depend on it, and for rows with NULLs. Their
 * order is total.
 */
final class RandomTops {
    private static final Map<String, List<String>> TEXTS = Map.of(
            "orders", List.of("o_orderdate", "o_orderpriority", "o_clerk", "o_comment", "o_custkey"),
            "customer", List.of("c_name", "c_address", "c_phone", "c_acctbal", "c_nationkey"),
            "part", List.of("p_name", "p_brand", "p_type", "p_retailprice"),
            "supplier", List.of("s_name", "s_address", "s_nationkey"),
            "nation", List.of("n_name", "n_regionkey"),
            "region", List.of("r_name"));

    private final Random random;
    private final RandomJoins words;

    RandomTops(Random random, RandomJoins words) {
        this.random = random;
        this.words = words;
    }

    String next() {
        return random.nextInt(3) == 0 ? missing() : tops();
    }

    /** The key is that of the smaller table, or a column that equals it; the others are of that table and sometimes of a third. */
    private String tops() {
        RandomJoins.Edge edge = words.edge();
        String small = edge.small();
        String key = edge.column(random.nextInt(3) == 0 ? edge.large() : small);
        List<String> tables = new ArrayList<>(List.of(edge.large(), small));
        List<String> where = new ArrayList<>(List.of(edge.equality()));
        List<String> shown = new ArrayList<>();
        for (String text : TEXTS.getOrDefault(small, List.of())) {
            if (random.nextBoolean()) {
                shown.add(text);
            }
        }
        RandomJoins.Edge next = words.edge(small);
        String third = next.other(small);
        if (random.nextBoolean() && next.small().equals(third)) {
            tables.add(third);
            where.add(next.equality());
            shown.add(TEXTS.getOrDefault(third, List.of()).get(0));
        }
        for (String table : tables) {
            if (random.nextInt(3) == 0) {
                where.add(words.condition(table));
            }
        }
        List<String> items = new ArrayList<>(shown);
        items.add(random.nextInt(items.size() + 1), key);
        String number = words.number(edge.large());
        String value = List.of(
                        "sum(" + number + ")", "count(*)", "max(" + number + ") * 2", "count(DISTINCT " + number + ")")
                .get(random.nextInt(4));
        items.add(value + " AS v");
        String having = random.nextInt(3) == 0 ? " HAVING " + value + " > " + random.nextInt(40) : "";
        String also = random.nextInt(4) == 0 && !shown.isEmpty() ? shown.get(0) + ", " : "";
        String by = List.of("v DESC, ", "v, ", value + " DESC, ", "").get(random.nextInt(4));
        return "SELECT " + String.join(", ", items) + " FROM " + String.join(", ", tables) + " WHERE "
                + String.join(" AND ", where) + " GROUP BY " + key
                + (shown.isEmpty() ? "" : ", " + String.join(", ", shown)) + having + " ORDER BY " + by + also + key
                + (random.nextInt(5) > 0 ? " LIMIT " + (1 + random.nextInt(30)) : "")
                + (random.nextInt(4) == 0 ? " OFFSET " + random.nextInt(20) : "");
    }

    /** Returns a query with NULLs of a LEFT JOIN and of NULLIF, in order, in groups and in conditions. */
    private String missing() {
        RandomJoins.Edge edge = words.edge();
        String large = edge.large();
        String small = edge.small();
        String on = edge.equality() + " AND " + words.condition(large);
        String group = words.group(large);
        String number = words.number(large);
        String value = "nullif(" + words.number(small) + ", " + random.nextInt(3) + ")";
        String nulls =
                List.of("", " NULLS FIRST", " NULLS LAST", " DESC NULLS FIRST").get(random.nextInt(4));
        String where = List.of(
                        "",
                        " WHERE " + edge.column(large) + " IS NULL",
                        " WHERE " + edge.column(large) + " IS NOT NULL OR " + words.condition(small),
                        " WHERE coalesce(" + number + ", 1) > 0")
                .get(random.nextInt(4));
        return random.nextBoolean()
                ? "SELECT " + group + ", count(*), count(" + edge.column(large) + "), sum(" + number + "), min(" + value
                        + ") FROM " + small + " LEFT JOIN " + large + " ON " + on + where + " GROUP BY " + group
                        + " ORDER BY 1" + nulls
                : "SELECT " + edge.column(small) + ", " + value + " AS v, CASE WHEN " + value
                        + " IS NULL THEN 'none' ELSE 'some' END, count(" + number + ") FROM " + small + " LEFT JOIN "
                        + large + " ON " + on + where + " GROUP BY 1, 2, 3 ORDER BY v" + nulls + ", 1 LIMIT 40";
    }
}
