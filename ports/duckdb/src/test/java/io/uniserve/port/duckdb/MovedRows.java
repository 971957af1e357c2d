package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checker of plans: it reads the number of rows of each table that leave their actors for one place, or for all, and fails if there are too
 * many.
 *
 * <p>Of a large table without a filter, by its own condition or by an equality with a filtered table, at most {@code most} rows may be
 * sent. A sub-query over it alone, without HAVING, must not have more rows or groups. An actor reports at most one more, so that a query
 * that is aborted or run in another way moves few rows as well.
 *
 * <p>There is no bound for joins in sub-queries and for groups of the query itself: for distinct counts each actor sends its own values.
 * For queries that do not do so, the strict check is that a large table's rows are never all moved.
 */
final class MovedRows {
    private static final Pattern STAGE = Pattern.compile("(sub-query|rows that want the sub-query) q\\d+, .*");

    /** {@code ... from 3 actors of TABLE: ROWS rows}. */
    private static final Pattern MOVED = Pattern.compile("(broadcast|send by key|partial at|groups at|late columns at) "
            + "(?:(\\w+(?: AS \\w+)?) from )?(\\d+)(?: of \\d+)? actors? of (\\w+): ([0-9,]+) rows?.*");

    private static final Pattern FINISH = Pattern.compile("finish: ([0-9,]+) rows?.*");
    private static final Pattern PARTNERS = Pattern.compile(", those with partners in ([\\w, ]+)");

    private final Map<String, Long> counts;
    private final long most;
    private final boolean strict;

    /** State of the stage that the lines so far belong to. */
    private boolean sub;
    /** False for rows that need a sub-query: if they are too many, the whole sub-query is answered. */
    private boolean kept;

    private boolean alone = true;
    private boolean whole;
    private final Set<String> filtered = new TreeSet<>();

    private MovedRows(Map<String, Long> counts, long most, boolean strict) {
        this.counts = counts;
        this.most = most;
        this.strict = strict;
    }

    /**
     * Reads a plan.
     *
     * @param counts number of rows per table
     * @param most maximum rows of a table that may be sent without a condition; a table with more is large
     * @param strict true if a large table's rows must never all be moved
     */
    static void check(String plan, Map<String, Long> counts, long most, boolean strict) {
        assertThat(plan).contains("answer: ");
        MovedRows moved = new MovedRows(counts, most, strict);
        List<String> lines = plan.lines().toList();
        int known = 0;
        for (int i = 0; i < lines.size(); i++) {
            String next = i + 1 < lines.size() ? lines.get(i + 1) : "";
            known += moved.read(lines.get(i), next.startsWith("    ") ? next : "", plan) ? 1 : 0;
        }
        assertThat(known).as("lines that are known, of\n" + plan).isPositive();
    }

    /** Returns true for a line about rows that leave their actors. */
    private boolean read(String line, String statement, String plan) {
        String told = line + "\nin\n" + plan;
        Matcher finish = FINISH.matcher(line);
        if (STAGE.matcher(line).matches() || line.equals("the query:")) {
            sub = !line.equals("the query:");
            kept = line.startsWith("sub-query ");
            alone = true;
            whole = false;
            filtered.clear();
        } else if (line.startsWith("in place: ")) {
            alone = false;
        } else if (finish.matches() && whole && kept) {
            assertThat(number(finish.group(1))).as(told).isLessThanOrEqualTo(most);
        }
        Matcher moved = MOVED.matcher(line);
        if (!moved.matches()) {
            return line.startsWith("joined in ");
        }
        boolean sent = moved.group(2) != null;
        if (sent && isFiltered(line)) {
            filtered.add(moved.group(2).replaceFirst(".* AS ", ""));
        }
        long all = counts.getOrDefault(moved.group(4), 0L);
        if (all <= most) {
            return true;
        }
        long rows = number(moved.group(5));
        if (strict) {
            assertThat(rows).as(told).isLessThan(all);
        }
        assertThat(line).as(plan).doesNotContain(", all it has");
        if (sent && !isFiltered(line)) {
            assertThat(rows).as(told).isLessThanOrEqualTo(most);
        } else if (sub && alone && !sent) {
            whole = !statement.contains(" WHERE ") && !statement.contains(" HAVING ");
            if (whole) {
                assertThat(rows).as(told).isLessThanOrEqualTo((most + 1) * number(moved.group(3)));
            }
        }
        return true;
    }

    private boolean isFiltered(String line) {
        Matcher partners = PARTNERS.matcher(line);
        return line.contains(" that its conditions leave")
                || (partners.find()
                        && List.of(partners.group(1).split(", ")).stream().anyMatch(filtered::contains));
    }

    private static long number(String text) {
        return Long.parseLong(text.replace(",", ""));
    }
}
