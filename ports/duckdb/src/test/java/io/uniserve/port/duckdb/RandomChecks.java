package io.uniserve.port.duckdb;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random queries, by a seed, whose sub-queries have the key of the outer query, over tables of {@link #COLUMNS} with NULLs: of the same
 * table and of others, in every place of WHERE, with more conditions on both. Their order is total, or equal rows are identical.
 */
final class RandomChecks {
    /** Columns after the key; the first distinguishes rows of one key. */
    static final String COLUMNS = ", n integer, a bigint, b integer, s varchar";

    private final Random random;
    private final List<String> tables;
    private int names;

    /** Uses these tables; a repeated name makes a table more frequent. */
    RandomChecks(Random random, List<String> tables) {
        this.random = random;
        this.tables = tables;
    }

    /** Returns a row's values. */
    static String row(long key, int n, Random random) {
        return key + "|" + n + "|" + (random.nextInt(4) == 0 ? "" : random.nextInt(5)) + "|"
                + (random.nextInt(4) == 0 ? "" : random.nextInt(4)) + "|"
                + (random.nextInt(4) == 0 ? "" : List.of("x", "y", "z").get(random.nextInt(3))) + "|";
    }

    private String of(String... some) {
        return some[random.nextInt(some.length)];
    }

    private boolean one(int of) {
        return random.nextInt(of) == 0;
    }

    private String table() {
        return tables.get(random.nextInt(tables.size()));
    }

    String next() {
        names = 0;
        String first = table();
        boolean two = one(3);
        String from = first + " p";
        List<String> where = new ArrayList<>();
        List<String> around = two ? List.of("p", "q") : List.of("p");
        if (two) {
            String how = of(", ", " JOIN ", " LEFT JOIN ");
            String on = "p.id = q.id" + (one(2) ? "" : of(" AND p.n = q.n", " AND p.a = q.b", " AND q.a > 1"));
            from += how + table() + " q" + (how.equals(", ") ? "" : " ON " + on);
            if (how.equals(", ")) {
                where.add(on);
            }
        }
        if (one(2)) {
            where.add(own(around.get(random.nextInt(around.size()))));
        }
        for (int left = 1 + random.nextInt(2); left > 0; left--) {
            where.add(placed(around));
        }
        String end = " FROM " + from + " WHERE " + String.join(" AND ", where);
        return switch (random.nextInt(4)) {
            case 0 -> "SELECT count(*), sum(p.a), max(p.s)" + end;
            case 1 -> "SELECT p.b, count(*), count(DISTINCT p.s)" + end + " GROUP BY p.b ORDER BY 1";
            case 2 ->
                "SELECT p.id, count(*), sum(p.n)" + end
                        + " GROUP BY p.id HAVING count(*) > 1 ORDER BY 2 DESC, 1 LIMIT 9";
            default ->
                "SELECT p.id, p.n" + (two ? ", q.n" : "") + end + " ORDER BY 1, 2" + (two ? ", 3" : "")
                        + (one(2) ? "" : " LIMIT 7");
        };
    }

    private String own(String alias) {
        return alias + of(".a > 1", ".b <> 2", ".s = 'x'", ".n < 3", ".a IS NOT NULL", ".id <> 4");
    }

    /** Returns a sub-query's condition, alone or within others. */
    private String placed(List<String> around) {
        String alias = around.get(random.nextInt(around.size()));
        int place = random.nextInt(8);
        String condition = condition(alias, place > 3);
        return switch (place) {
            case 0 -> "(" + condition + " OR " + own(alias) + ")";
            case 1 -> "NOT (" + condition + " AND " + own(alias) + ")";
            case 2 -> "(" + condition + ") IS " + of("TRUE", "NOT TRUE", "FALSE", "UNKNOWN");
            case 3 -> "CASE WHEN " + condition + " THEN " + own(alias) + " ELSE " + own(alias) + " END";
            default -> condition;
        };
    }

    /**
     * Returns a sub-query's condition.
     *
     * <p>DuckDB 1.5.6, the reference, itself evaluates {@code <>} with a NULL of the outer row as true if an EXISTS is not a top-level
     * condition of WHERE, depending on its plan. There only columns without NULLs are compared by it.
     *
     * @param alone true if it is a top-level condition of WHERE
     */
    private String condition(String alias, boolean alone) {
        int kind = random.nextInt(7);
        boolean exact = alone && kind < 2;
        String sub = "s" + names++;
        List<String> where = new ArrayList<>();
        where.add(of(sub + ".id = " + alias + ".id", alias + ".id = " + sub + ".id"));
        if (one(2)) {
            String compared = of(" <> ", " < ", " = ", " >= ");
            boolean present = compared.equals(" <> ") && !exact;
            where.add(sub + of(".n", ".a", ".b") + compared + alias + (present ? ".n" : of(".n", ".a", ".b")));
        }
        List<String> own = new ArrayList<>();
        if (one(2)) {
            own.add(own(sub));
        }
        if (one(4)) {
            own.add(sub + ".b IN (SELECT a FROM " + table() + " WHERE n = 1)");
        }
        where.addAll(own);
        String inner = " FROM " + table() + " " + sub;
        String correlated = inner + " WHERE " + String.join(" AND ", where);
        String free = inner + (own.isEmpty() ? "" : " WHERE " + String.join(" AND ", own));
        String not = of("", "NOT ");
        return switch (kind) {
            case 0, 1 -> not + "EXISTS (SELECT " + of("*", "1", sub + ".a") + correlated + ")";
            case 2 -> alias + ".id " + not + "IN (SELECT " + sub + ".id" + free + ")";
            case 3 ->
                alias + ".id " + not + "IN (SELECT " + sub + ".id" + free + " GROUP BY " + sub + ".id HAVING count("
                        + of("*", sub + ".a") + ") > " + random.nextInt(3) + ")";
            case 4, 5 ->
                alias + of(".a ", ".b ", ".id ") + not + "IN (SELECT " + sub + of(".a", ".b", ".id") + correlated + ")";
            default ->
                alias + of(".a", ".n") + of(" > ", " = ", " <= ") + "(SELECT " + of("max", "count", "sum") + "(" + sub
                        + of(".a", ".n") + ")" + inner + " WHERE " + where.get(0)
                        + (own.isEmpty() ? "" : " AND " + String.join(" AND ", own)) + ")";
        };
    }
}
