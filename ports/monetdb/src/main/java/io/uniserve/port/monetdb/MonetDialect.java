package io.uniserve.port.monetdb;

import io.uniserve.error.UniserveException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What statements of {@code uniserve-sql} are in MonetDB's SQL. All differences are here; what is in quotes is left as it is. */
final class MonetDialect {
    /** The name of an actor's rows: {@code rows} is a word of MonetDB's own. */
    static final String MINE = "mine";

    /** Checked for zero, as others need it. MonetDB fails by itself; it makes whole numbers of such, and cuts decimals. */
    private static final Pattern DIVIDED =
            Pattern.compile("CASE WHEN (.+?) = 0 THEN error\\('division by zero'\\) ELSE \\1 END");

    private static final Pattern QUOTIENT =
            Pattern.compile("/ (?:" + DIVIDED + "|(\\d+(?:\\.\\d+)?)(?=\\)(?:[^']*'[^']*')*[^']*$))"); // not in a text
    private static final Pattern AVERAGE = Pattern.compile(
            "\\(sum\\(((?:DISTINCT )?c\\d+)\\) / nullif\\(((?:sum|count)\\((?:DISTINCT )?c\\d+\\)), 0\\)\\)");

    private static final Pattern EQUALITY =
            Pattern.compile("((?:mine|b\\d+)\\.(?:\\w+|\"\\w+\")) = ((?:mine|b\\d+)\\.(?:\\w+|\"\\w+\"))");

    /** An equality with an expression on one side, and none with a constant. */
    private static final Pattern COMPUTED = Pattern.compile("\\) = (?!['\\d-]|DATE )| = (?:\\(|[A-Z]+\\()");

    private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"");
    private static final Pattern CONSTANT = Pattern.compile("'(?:[^']|'')*'");

    /** Around the number of a constant; no statement may have it. */
    private static final String MASK = "\uE000";

    private static final Pattern ROWS = Pattern.compile("\\brows\\b");
    private static final Pattern VARCHAR = Pattern.compile("\\bVARCHAR\\b");
    private static final Pattern NUMBERED = Pattern.compile("\\bGROUP BY (\\d+(?:, \\d+)*)");
    private static final Pattern NAMED = Pattern.compile(" AS c(\\d+)\\b");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private MonetDialect() {}

    /** A whole statement: what {@code relations} gives a name to comes first. */
    static String statement(Map<String, String> relations, Set<String> wide, String statement) {
        // Its scanner takes a quote behind a backslash for no end of a text, but leaves the backslash in it.
        if (statement.indexOf('\\') >= 0 || relations.keySet().stream().anyMatch(name -> name.startsWith("q"))) {
            throw UniserveException.unsupported("a sub-query, or a backslash, on MonetDB, which may take them wrongly");
        }
        String with = relations.entrySet().stream()
                .map(one -> one.getKey() + " AS (" + one.getValue() + ")")
                .collect(Collectors.joining(", ", relations.isEmpty() ? "" : "WITH ", relations.isEmpty() ? "" : " "));
        return with + (relations.size() > 1 ? joined(translated(statement), wide) : translated(statement));
    }

    static String translated(String statement) {
        String doubles = QUOTIENT.matcher(MonetTexts.checked(statement)).replaceAll("/ CAST($1$2 AS DOUBLE)");
        String averages = AVERAGE.matcher(DIVIDED.matcher(doubles).replaceAll("$1"))
                .replaceAll("(CAST(sum($1) AS DOUBLE) / CASE WHEN $2 = 0 THEN NULL ELSE $2 END)");
        Map<String, String> constants = new LinkedHashMap<>();
        String masked = CONSTANT
                .matcher(averages)
                .replaceAll(found -> constants.computeIfAbsent(found.group(), text -> MASK + constants.size() + MASK));
        String right = MonetRewrites.right(masked);
        boolean grouped = NUMBERED.matcher(right).find();
        StringBuilder out = new StringBuilder();
        Matcher quoted = QUOTED.matcher(right);
        int from = 0;
        while (quoted.find()) {
            out.append(words(right.substring(from, quoted.start()), grouped)).append(quoted.group());
            from = quoted.end();
        }
        String all = out.append(words(right.substring(from), grouped)).toString();
        for (Map.Entry<String, String> constant : constants.entrySet()) {
            all = all.replace(constant.getValue(), constant.getKey());
        }
        return all;
    }

    /** An equality; not as one where it is not the first of a join: see {@link #joined}. */
    static String equal(boolean apart, String left, String right) {
        return apart ? left + " <= " + right + " AND " + left + " >= " + right : left + " = " + right;
    }

    /**
     * Where MonetDBLite joins by several columns and the first is of texts or days it finds no partners. So of several equalities
     * those of such columns, the wide ones, are written as no equality; one of computed values is refused.
     */
    static String joined(String statement, Set<String> wide) {
        if (mixed(statement)) {
            throw UniserveException.unsupported("MonetDB: a join by a computed value beside another equality");
        }
        Matcher equalities = EQUALITY.matcher(statement);
        if (equalities.results().count() < 2) {
            return statement;
        }
        return equalities
                .reset()
                .replaceAll(found ->
                        Matcher.quoteReplacement(equal(wide.contains(found.group(1)), found.group(1), found.group(2))));
    }

    /** Whether {@link #joined} refuses it. */
    static boolean mixed(String statement) {
        long computed = COMPUTED.matcher(statement).results().count();
        return computed > 0 && EQUALITY.matcher(statement).results().count() + computed > 1;
    }

    private static String words(String text, boolean grouped) {
        String named = VARCHAR.matcher(ROWS.matcher(text).replaceAll(MINE)).replaceAll("CLOB");
        if (!grouped) {
            return MonetRewrites.wide(named);
        }
        // MonetDB groups by names alone, and c0 may be a column of a relation's too.
        named = NAMED.matcher(named).replaceAll(" AS g$1");
        return MonetRewrites.wide(NUMBERED.matcher(named)
                .replaceAll(groups -> "GROUP BY "
                        + NUMBER.matcher(groups.group(1))
                                .replaceAll(number -> "g" + (Integer.parseInt(number.group()) - 1))));
    }
}
