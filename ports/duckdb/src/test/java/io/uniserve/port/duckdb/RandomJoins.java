package io.uniserve.port.duckdb;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Random queries over joins of TPC-H's tables, by a seed. Their order is total. */
final class RandomJoins {
    private static final Map<String, List<String>> CONDITIONS = Map.of(
            "lineitem",
            List.of(
                    "l_quantity < 30",
                    "l_shipdate BETWEEN date '1994-01-01' AND date '1994-06-30'",
                    "l_shipmode IN ('AIR', 'RAIL')",
                    "l_discount * 100 > 5 OR l_tax = 0"),
            "orders",
            List.of(
                    "o_orderdate < date '1995-01-01'",
                    "o_orderpriority LIKE '1%'",
                    "o_totalprice / 2 > 50000",
                    "NOT o_orderstatus = 'F'"),
            "customer",
            List.of("c_mktsegment <> 'BUILDING'", "c_acctbal > 0", "substring(c_phone FROM 1 FOR 2) < '25'"),
            "part",
            List.of("p_size < 20", "p_brand = 'Brand#23'", "p_type LIKE '%BRASS'"),
            "supplier",
            List.of("s_acctbal < 5000", "s_name NOT LIKE '%7'"),
            "nation",
            List.of("n_name > 'F'", "n_regionkey IN (1, 2, 3)"),
            "region",
            List.of("r_name <> 'ASIA'", "char_length(r_name) = 6"));

    private static final Map<String, List<String>> GROUPS = Map.of(
            "lineitem", List.of("l_returnflag", "l_shipmode"),
            "orders", List.of("o_orderpriority", "extract(year FROM o_orderdate)"),
            "customer", List.of("c_mktsegment", "c_nationkey"),
            "part", List.of("p_size", "CASE WHEN p_size < 10 THEN 'small' ELSE 'large' END"),
            "supplier", List.of("s_nationkey", "s_name"),
            "nation", List.of("n_name", "n_regionkey"),
            "region", List.of("r_name"));

    private static final Map<String, List<String>> NUMBERS = Map.of(
            "lineitem", List.of("l_quantity", "l_extendedprice * (1 - l_discount)", "l_linenumber"),
            "orders", List.of("o_totalprice", "o_shippriority"),
            "customer", List.of("c_acctbal"),
            "part", List.of("p_retailprice", "p_size"),
            "supplier", List.of("s_acctbal"),
            "nation", List.of("n_nationkey"),
            "region", List.of("r_regionkey"));

    private static final List<Edge> EDGES = List.of(
            new Edge("lineitem", "orders", "l_orderkey = o_orderkey"),
            new Edge("lineitem", "part", "p_partkey = l_partkey"),
            new Edge("lineitem", "supplier", "l_suppkey = s_suppkey"),
            new Edge("orders", "customer", "o_custkey = c_custkey"),
            new Edge("customer", "nation", "c_nationkey = n_nationkey"),
            new Edge("nation", "region", "n_regionkey = r_regionkey"));

    private final Random random;

    /** Tables that join; the second has fewer rows. */
    record Edge(String large, String small, String equality) {
        String other(String table) {
            return table.equals(large) ? small : large;
        }

        /** Returns the compared column of a table; columns start with their table's first letter. */
        String column(String table) {
            List<String> columns = List.of(equality.split(" = "));
            return columns.get(0).charAt(0) == table.charAt(0) ? columns.get(0) : columns.get(1);
        }
    }

    RandomJoins(Random random) {
        this.random = random;
    }

    String next() {
        List<Edge> edges = new ArrayList<>(EDGES);
        Collections.shuffle(edges, random);
        List<String> tables = new ArrayList<>(List.of(edges.get(0).large()));
        boolean commas = random.nextBoolean();
        List<String> where = new ArrayList<>();
        StringBuilder from = new StringBuilder(tables.get(0));
        int wanted = 2 + random.nextInt(3);
        for (int round = 0; round < EDGES.size(); round++) {
            for (Edge edge : edges) {
                if (tables.size() < wanted && tables.contains(edge.large()) && !tables.contains(edge.small())) {
                    tables.add(edge.small());
                    if (commas) {
                        from.append(", ").append(edge.small());
                        where.add(edge.equality());
                    } else {
                        from.append(random.nextInt(3) == 0 ? " LEFT JOIN " : " JOIN ")
                                .append(edge.small());
                        from.append(" ON ").append(edge.equality());
                        from.append(random.nextInt(3) == 0 ? " AND " + condition(edge.small()) : "");
                    }
                }
            }
        }
        for (String table : tables) {
            if (random.nextInt(3) > 0) {
                where.add(condition(table));
            }
        }
        Collections.shuffle(where, random);
        String end = " FROM " + from + (where.isEmpty() ? "" : " WHERE " + String.join(" AND ", where));
        return random.nextInt(4) == 0 ? plain(tables, end) : grouped(tables, end);
    }

    Edge edge() {
        return EDGES.get(random.nextInt(EDGES.size()));
    }

    /** Returns one of the joins of a table. */
    Edge edge(String table) {
        List<Edge> some = EDGES.stream()
                .filter(edge -> edge.large().equals(table) || edge.small().equals(table))
                .toList();
        return some.get(random.nextInt(some.size()));
    }

    String group(String table) {
        return one(GROUPS, table);
    }

    String number(String table) {
        return one(NUMBERS, table);
    }

    String condition(String table) {
        return "(" + one(CONDITIONS, table) + ")";
    }

    private String one(Map<String, List<String>> all, String table) {
        List<String> some = all.getOrDefault(table, List.of());
        return some.get(random.nextInt(some.size()));
    }

    private String plain(List<String> tables, String end) {
        List<String> items = new ArrayList<>();
        for (String table : tables) {
            items.add(one(GROUPS, table));
            items.add(one(NUMBERS, table));
        }
        String distinct = random.nextBoolean() ? "DISTINCT " : "";
        return "SELECT " + distinct + String.join(", ", items) + end + " ORDER BY " + positions(items.size())
                + " LIMIT " + (1 + random.nextInt(200));
    }

    private String grouped(List<String> tables, String end) {
        List<String> groups = new ArrayList<>();
        for (String table : tables) {
            if (random.nextBoolean()) {
                groups.add(one(GROUPS, table));
            }
        }
        List<String> items = new ArrayList<>(groups);
        items.add("count(*)");
        for (String table : tables) {
            String number = one(NUMBERS, table);
            items.add(
                    switch (random.nextInt(4)) {
                        case 0 -> "min(" + number + ")";
                        case 1 -> "max(" + number + ") - 1";
                        case 2 -> "count(" + number + ")";
                        default -> "sum(" + number + ")";
                    });
        }
        String by = groups.isEmpty() ? "" : " GROUP BY " + String.join(", ", groups);
        String having = random.nextInt(3) == 0 ? " HAVING count(*) > " + (1 + random.nextInt(50)) : "";
        String order = groups.isEmpty() ? "" : " ORDER BY " + positions(groups.size());
        return "SELECT " + String.join(", ", items) + end + by + having + order;
    }

    private static String positions(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(String::valueOf).collect(Collectors.joining(", "));
    }
}
