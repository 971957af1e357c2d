package io.uniserve.port.monetdb;

import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.SqlDialect;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.engine.UnsupportedFeatures;
import io.uniserve.sql.parse.FunctionCatalog;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Translation of statements of {@code uniserve-sql} to MonetDB's SQL. It has all differences; quoted texts are unchanged. */
final class MonetDialect implements SqlDialect {
    static final MonetDialect MONETDB = new MonetDialect();

    /** Name of an actor's rows: {@code rows} is a reserved word of MonetDB. */
    static final String ROWS_NAME = "mine";

    /**
     * Division with a check for zero, which other engines need. MonetDB fails by itself, but its quotient of whole numbers is whole, and it
     * truncates decimals.
     */
    private static final Pattern DIVIDED =
            Pattern.compile("CASE WHEN (.+?) = 0 THEN error\\('division by zero'\\) ELSE \\1 END");

    private static final Pattern QUOTIENT =
            Pattern.compile("/ (?:" + DIVIDED + "|(\\d+(?:\\.\\d+)?)(?=\\)(?:[^']*'[^']*')*+[^']*$))"); // not in a text
    private static final Pattern AVERAGE = Pattern.compile(
            "\\(sum\\(((?:DISTINCT )?c\\d+)\\) / nullif\\(((?:sum|count)\\((?:DISTINCT )?c\\d+\\)), 0\\)\\)");

    private static final Pattern EQUALITY = Pattern.compile(
            "(?<=(?: ON | WHERE | AND )\\(?)((?:mine|b\\d+)\\.(?:\\w+|\"\\w+\")) = ((?:mine|b\\d+)\\.(?:\\w+|\"\\w+\"))");

    /** Conditions of a join, or of a statement. */
    private static final Pattern CONDITIONS =
            Pattern.compile(" (?:ON|WHERE) .*?(?= ON | WHERE | GROUP BY | ORDER BY | LIMIT |$)");

    /** Equality with an expression on one side and no constant on the other. */
    private static final Pattern COMPUTED = Pattern.compile("\\) = (?!['\\d-]|DATE )| = (?:\\(|[A-Z]+\\()");

    /** UPPER and LOWER before odd texts, and functions that count characters, except for LIKE with a constant without an underscore. */
    private static final Pattern ODD = Pattern.compile("(?is)\\b(?:upper|lower)\\(.* odd[1357]_|LIKE .* odd[4-7]_"
            + "|(?:\\b(?:substring|length)\\(|\\bLIKE (?!'(?:[^'_]|'')*+'(?!'))).* odd[2367]_");

    private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"");
    private static final Pattern CONSTANT = Pattern.compile("'(?:[^']|'')*+'");

    /** Mark around the number of a masked constant; statements must not contain it. */
    private static final String MASK = "\uE000";

    private static final Pattern NUMBERED = Pattern.compile("\\bGROUP BY (\\d+(?:, \\d+)*)");
    private static final Pattern NAMED = Pattern.compile(" AS c(\\d+)\\b");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private MonetDialect() {}

    /** The limitations are also checked here: a statement must be correct for MonetDB under every planner. */
    @Override
    public UnsupportedFeatures unsupportedFeatures() {
        Set<UnsupportedFeatures.Part> all = Set.of(UnsupportedFeatures.Part.values());
        return new UnsupportedFeatures(
                "MonetDB", all, FunctionCatalog.duckDbAggregates(), one -> hasMixedJoin(translate(Set.of(), one)));
    }

    @Override
    public String relationName(String name) {
        return name.equals(StatementNaming.ROWS) ? ROWS_NAME : name;
    }

    @Override
    public String typeName(String type) {
        return type.equals("VARCHAR") ? "CLOB" : type;
    }

    @Override
    public String statement(Map<String, String> relations, String statement) {
        // MonetDB's scanner does not end a text at a quote after a backslash, but keeps the backslash in the text.
        if (statement.indexOf('\\') >= 0 || relations.keySet().stream().anyMatch(name -> name.startsWith("q"))) {
            throw UniserveException.unsupported("a sub-query, or a backslash, on MonetDB, which may take them wrongly");
        }
        if (ODD.matcher(statement + " odd" + MonetTextCodec.oddKinds(statement) + "_ " + relations.values())
                .find()) {
            throw UniserveException.unsupported("UPPER and LOWER on MonetDB beside ß or a letter with case past U+00FF,"
                    + " SUBSTRING, CHAR_LENGTH, LIKE with _ for a character beyond U+FFFF, LIKE for U+000A or U+000D");
        }
        return SqlDialect.super.statement(relations, statement);
    }

    @Override
    public String rewrite(Set<String> relations, String statement) {
        String doubles = QUOTIENT.matcher(MonetTextCodec.check(statement)).replaceAll("/ CAST($1$2 AS DOUBLE)");
        String averages = AVERAGE.matcher(DIVIDED.matcher(doubles).replaceAll("$1"))
                .replaceAll("(CAST(sum($1) AS DOUBLE) / CASE WHEN $2 = 0 THEN NULL ELSE $2 END)");
        Map<String, String> constants = new LinkedHashMap<>();
        String masked = CONSTANT.matcher(averages)
                .replaceAll(found -> constants.computeIfAbsent(found.group(), text -> MASK + constants.size() + MASK));
        String right = MonetQueryRewriter.rewriteAll(masked);
        boolean grouped = NUMBERED.matcher(right).find();
        StringBuilder out = new StringBuilder();
        Matcher quoted = QUOTED.matcher(right);
        int from = 0;
        while (quoted.find()) {
            out.append(words(right.substring(from, quoted.start()), grouped)).append(quoted.group());
            from = quoted.end();
        }
        out.append(words(right.substring(from), grouped));
        String all = relations.size() > 1 ? rewriteJoins(out.toString()) : out.toString();
        for (Map.Entry<String, String> constant : constants.entrySet()) {
            all = all.replace(constant.getValue(), constant.getKey());
        }
        if (relations.size() > 1 && hasMixedJoin(all)) {
            throw UniserveException.unsupported("MonetDB: a join by a computed value beside another equality");
        }
        return all;
    }

    /** Writes an equality in a form that MonetDB does not use as a join condition: it is evaluated for the rows of the join. */
    static String equal(String left, String right) {
        return "CASE WHEN " + left + " = " + right + " THEN 1 WHEN " + left + " <> " + right
                + " THEN 0 ELSE NULL END = 1";
    }

    /** Rewrites joins to one equality each, because MonetDBLite finds too few partners, or none, in a join by several columns. */
    private static String rewriteJoins(String statement) {
        Map<String, Integer> tables = new HashMap<>();
        StringBuilder out = new StringBuilder();
        Matcher parts = CONDITIONS.matcher(statement);
        while (parts.find()) {
            parts.appendReplacement(
                    out,
                    Matcher.quoteReplacement(EQUALITY.matcher(parts.group())
                            .replaceAll(found -> Matcher.quoteReplacement(
                                    connects(tables, found.group(1), found.group(2))
                                            ? found.group()
                                            : equal(found.group(1), found.group(2))))));
        }
        return parts.appendTail(out).toString();
    }

    /** True if no earlier equality has connected the tables of these columns. Marks them as connected. */
    private static boolean connects(Map<String, Integer> tables, String left, String right) {
        int one = tables.computeIfAbsent(left.replaceAll("\\..*", ""), name -> tables.size());
        int other = tables.computeIfAbsent(right.replaceAll("\\..*", ""), name -> tables.size());
        tables.replaceAll((name, number) -> number == other ? one : number);
        return one != other;
    }

    /** True if a join is by a computed value and another equality. */
    static boolean hasMixedJoin(String statement) {
        long computed = COMPUTED.matcher(statement).results().count();
        return computed > 0 && EQUALITY.matcher(statement).results().count() + computed > 1;
    }

    private static String words(String text, boolean grouped) {
        // MonetDB groups by names only, and c0 may also be a column of a relation.
        String named = grouped ? NAMED.matcher(text).replaceAll(" AS g$1") : text;
        return MonetQueryRewriter.widenLargest(NUMBERED.matcher(named)
                .replaceAll(groups -> "GROUP BY "
                        + NUMBER.matcher(groups.group(1))
                                .replaceAll(number -> "g" + (Integer.parseInt(number.group()) - 1))));
    }
}
