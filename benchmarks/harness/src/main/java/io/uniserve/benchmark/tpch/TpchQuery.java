package io.uniserve.benchmark.tpch;

import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Query of TPC-H with its validation parameters, with the same text for every system.
 *
 * @param number the number in TPC-H
 */
public record TpchQuery(int number, String sql) {
    private static final Map<Integer, String> ALL = read();
    private static final Pattern TABLE =
            Pattern.compile("(?i)\\b(lineitem|orders|customer|partsupp|part|supplier|nation|region)\\b");

    /** Queries that find no rows; their numbers are not TPC-H's. */
    private static final List<TpchQuery> OF_NO_ROWS = Stream.of(
                    "select count(*), min(l_shipdate), sum(l_quantity) from lineitem where l_orderkey < 0",
                    "select o_orderkey, sum(l_quantity) from orders, lineitem"
                            + " where o_orderkey = l_orderkey and o_orderkey < 0 group by o_orderkey",
                    "select c_custkey, count(*) from customer, orders"
                            + " where c_custkey = o_custkey and o_orderkey < 0 group by c_custkey order by 2 limit 10")
            .map(sql -> new TpchQuery(0, sql))
            .toList();

    private static Map<Integer, String> read() {
        try (InputStream in = Objects.requireNonNull(TpchQuery.class.getResourceAsStream("queries.sql"))) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            Map<Integer, String> all = new TreeMap<>();
            Matcher query = Pattern.compile("(?s)-- Q(\\d+)\\n(.*?);").matcher(text);
            while (query.find()) {
                all.put(Integer.valueOf(query.group(1)), query.group(2).strip());
            }
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the queries with these numbers. */
    public static List<TpchQuery> of(List<Integer> numbers) {
        return numbers.stream().distinct().map(TpchQuery::of).toList();
    }

    /** Returns the queries without rows whose tables are all used by one of these queries. */
    static List<TpchQuery> ofNoRows(List<TpchQuery> queries) {
        Predicate<TpchDataGenerator.Table> used = table -> queries.stream().anyMatch(query -> query.uses(table));
        return OF_NO_ROWS.stream()
                .filter(query ->
                        TpchDataGenerator.TABLES.stream().filter(query::uses).allMatch(used))
                .toList();
    }

    private static TpchQuery of(int number) {
        String sql = ALL.get(number);
        if (sql == null) {
            throw UniserveException.invalid("--queries: there is no Q" + number + " here; use some of " + numbers());
        }
        return new TpchQuery(number, sql);
    }

    static List<Integer> numbers() {
        return List.copyOf(ALL.keySet());
    }

    public String name() {
        return "Q" + number;
    }

    /** Returns the first table that it names: the table to which Uniserve's query is sent. */
    public String table() {
        Matcher table = TABLE.matcher(sql.substring(sql.toLowerCase(Locale.ROOT).indexOf("from ")));
        if (!table.find()) {
            throw UniserveException.invalid(name() + " does not name a table");
        }
        return table.group(1);
    }

    /** True if it reads more than one table. */
    boolean isJoin() {
        return TpchDataGenerator.TABLES.stream().filter(this::uses).count() > 1;
    }

    boolean uses(TpchDataGenerator.Table table) {
        return Pattern.compile("(?i)\\b" + table.name() + "\\b").matcher(sql).find();
    }
}
