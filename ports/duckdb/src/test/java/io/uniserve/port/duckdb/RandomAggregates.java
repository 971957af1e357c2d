package io.uniserve.port.duckdb;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random queries with several aggregates of all kinds over the tables of {@link FunctionCasesTest}, by a seed, in the forms for both
 * engines.
 */
final class RandomAggregates {
    private static final List<String> NAMES = List.copyOf(FunctionCases.AGGREGATES.keySet());
    private static final int ITEMS_MAX = 4;

    private final Random random;

    RandomAggregates(Random random) {
        this.random = random;
    }

    private String of(String... some) {
        return some[random.nextInt(some.length)];
    }

    FunctionCases.Pair next() {
        List<String> ours = new ArrayList<>();
        List<String> theirs = new ArrayList<>();
        List<String> groups = List.of(of("g", "f", "b", "id % 7", "a")).subList(0, random.nextInt(2));
        ours.addAll(groups);
        theirs.addAll(groups);
        for (int i = random.nextInt(ITEMS_MAX); i >= 0; i--) {
            FunctionCases.Pair one = aggregate();
            String filter = random.nextInt(3) == 0
                    ? " FILTER (WHERE " + of("b > 1", "f", "s IS NOT NULL", "a IN (1, 2)", "c < d") + ")"
                    : "";
            ours.add(one.ours() + filter);
            theirs.add(one.theirs() + filter);
        }
        String from = of(
                "h",
                "h",
                "v",
                "u",
                "e",
                "h JOIN w ON a = wa",
                "w LEFT JOIN h ON a = wa",
                "v JOIN w ON a = wa AND k < 9");
        String where = of("", "", " WHERE b > 0", " WHERE s LIKE '%a%' OR f", " WHERE FALSE");
        String by = groups.isEmpty() ? "" : " GROUP BY " + groups.get(0);
        String having = groups.isEmpty() || random.nextInt(3) > 0
                ? ""
                : " HAVING " + of("count(*) > 1", "median(a) IS NOT NULL", "stddev(b) > 1");
        String order = groups.isEmpty() ? "" : " ORDER BY 1 NULLS FIRST" + of("", " LIMIT 3", " LIMIT 2 OFFSET 1");
        String end = " FROM " + from + where + by + having + order;
        return new FunctionCases.Pair(
                "SELECT " + String.join(", ", ours) + end, "SELECT " + String.join(", ", theirs) + end);
    }

    /** Returns an aggregate whose sums and squares cannot overflow: an error would be the whole answer. */
    private FunctionCases.Pair aggregate() {
        while (true) {
            List<FunctionCases.Pair> all = FunctionCases.aggregates(NAMES.get(random.nextInt(NAMES.size())));
            FunctionCases.Pair one = all.get(random.nextInt(all.size()));
            if (!one.ours().matches("(?i)(std|var).*\\((a|d|p|CAST\\(n AS DOUBLE\\))\\)|sum\\(p\\)|avg\\(p\\)")) {
                return one;
            }
        }
    }
}
