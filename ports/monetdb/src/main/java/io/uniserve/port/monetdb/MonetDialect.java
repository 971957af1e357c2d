package io.uniserve.port.monetdb;

import io.uniserve.error.UniserveException;
import io.uniserve.sql.Functions;
import io.uniserve.sql.SqlDialect;
import io.uniserve.sql.StatementNames;
import io.uniserve.sql.UnsupportedFeatures;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Statements of {@code uniserve-sql} in MonetDB's SQL. All differences are here; what is in quotes is left as it is. */
final class MonetDialect implements SqlDialect {
    static final MonetDialect MONETDB = new MonetDialect();

    /** The name of an actor's rows: {@code rows} is a word of MonetDB's own. */
    static final String MINE = "mine";

    /** Checked for zero, as others need it. MonetDB fails by itself; it makes whole numbers of such, and cuts decimals. */
    private static final Pattern DIVIDED =
            Pattern.compile("CASE WHEN (.+?) = 0 THEN error\\('division by zero'\\) ELSE \\1 END");

    private static final Pattern QUOTIENT =
            Pattern.compile("/ (?:" + DIVIDED + "|(\\d+(?:\\.\\d+)?)(?=\\)(?:[^']*'[^']*')*+[^']*$))"); // not in a text
    private static final Pattern AVERAGE = Pattern.compile(
            "\\(sum\\(((?:DISTINCT )?c\\d+)\\) / nullif\\(((?:sum|count)\\((?:DISTINCT )?c\\d+\\)), 0\\)\\)");

    private static final Pattern EQUALITY = Pattern.compile(
            "(?<=(?: ON | WHERE | AND )\\(?)((?:mine|b\\d+)\\.(?:\\w+|\"\\w+\")) = ((?:mine|b\\d+)\\.(?:\\w+|\"\\w+\"))");

    /** Conditions of a join, or those of a statement. */
    private static final Pattern CONDITIONS =
            Pattern.compile(" (?:ON|WHERE) .*?(?= ON | WHERE | GROUP BY | ORDER BY | LIMIT |$)");

    /** An equality with an expression on one side, and none with a constant. */
    private static final Pattern COMPUTED = Pattern.compile("\\) = (?!['\\d-]|DATE )| = (?:\\(|[A-Z]+\\()");

    /** UPPER and LOWER before odd texts, and what counts characters: not LIKE a constant without an underscore. */
    private static final Pattern ODD = Pattern.compile("(?is)\\b(?:upper|lower)\\(.* odd[1357]_|LIKE .* odd[4-7]_"
            + "|(?:\\b(?:substring|length)\\(|\\bLIKE (?!'(?:[^'_]|'')*+'(?!'))).* odd[2367]_");

    private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"");
    private static final Pattern CONSTANT = Pattern.compile("'(?:[^']|'')*+'");

    /** Around the number of a constant; no statement may have it. */
    private static final String MASK = "\uE000";

    private static final Pattern NUMBERED = Pattern.compile("\\bGROUP BY (\\d+(?:, \\d+)*)");
    private static final Pattern NAMED = Pattern.compile(" AS c(\\d+)\\b");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private MonetDialect() {}

    /** Refused here again: a statement must be right for MonetDB under any planner. */
    @Override
    public UnsupportedFeatures unable() {
        Set<UnsupportedFeatures.Part> all = Set.of(UnsupportedFeatures.Part.values());
        return new UnsupportedFeatures("MonetDB", all, Functions.ofDuckDb(), one -> mixed(translated(Set.of(), one)));
    }

    @Override
    public String givenName(String name) {
        return name.equals(StatementNames.ROWS) ? MINE : name;
    }

    @Override
    public String type(String type) {
        return type.equals("VARCHAR") ? "CLOB" : type;
    }

    @Override
    public String statement(Map<String, String> relations, String statement) {
        // Its scanner takes a quote behind a backslash for no end of a text, but leaves the backslash in it.
        if (statement.indexOf('\\') >= 0 || relations.keySet().stream().anyMatch(name -> name.startsWith("q"))) {
            throw UniserveException.unsupported("a sub-query, or a backslash, on MonetDB, which may take them wrongly");
        }
        if (ODD.matcher(statement + " odd" + MonetTextCodec.odd(statement) + "_ " + relations.values())
                .find()) {
            throw UniserveException.unsupported("UPPER and LOWER on MonetDB beside ß or a letter with case past U+00FF,"
                    + " SUBSTRING, CHAR_LENGTH, LIKE with _ beside a character beyond U+FFFF, LIKE beside U+000A or D");
        }
        return SqlDialect.super.statement(relations, statement);
    }

    @Override
    public String rewritten(Set<String> relations, String statement) {
        String doubles = QUOTIENT.matcher(MonetTextCodec.checked(statement)).replaceAll("/ CAST($1$2 AS DOUBLE)");
        String averages = AVERAGE.matcher(DIVIDED.matcher(doubles).replaceAll("$1"))
                .replaceAll("(CAST(sum($1) AS DOUBLE) / CASE WHEN $2 = 0 THEN NULL ELSE $2 END)");
        Map<String, String> constants = new LinkedHashMap<>();
        String masked = CONSTANT.matcher(averages)
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
        out.append(words(right.substring(from), grouped));
        String all = relations.size() > 1 ? joined(out.toString()) : out.toString();
        for (Map.Entry<String, String> constant : constants.entrySet()) {
            all = all.replace(constant.getValue(), constant.getKey());
        }
        if (relations.size() > 1 && mixed(all)) {
            throw UniserveException.unsupported("MonetDB: a join by a computed value beside another equality");
        }
        return all;
    }

    /** An equality, written as none: it is no part of a join then, but looked at for what the join finds. */
    static String equal(String left, String right) {
        return "CASE WHEN " + left + " = " + right + " THEN 1 WHEN " + left + " <> " + right
                + " THEN 0 ELSE NULL END = 1";
    }

    /** MonetDBLite finds too few partners, or none, where it joins by several columns. So each join has one equality. */
    private static String joined(String statement) {
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

    /** Whether no equality before has connected the tables of these columns; one after this has. */
    private static boolean connects(Map<String, Integer> tables, String left, String right) {
        int one = tables.computeIfAbsent(left.replaceAll("\\..*", ""), name -> tables.size());
        int other = tables.computeIfAbsent(right.replaceAll("\\..*", ""), name -> tables.size());
        tables.replaceAll((name, number) -> number == other ? one : number);
        return one != other;
    }

    /** Whether a join is by a computed value and another equality. */
    static boolean mixed(String statement) {
        long computed = COMPUTED.matcher(statement).results().count();
        return computed > 0 && EQUALITY.matcher(statement).results().count() + computed > 1;
    }

    private static String words(String text, boolean grouped) {
        // MonetDB groups by names alone, and c0 may be a column of a relation's too.
        String named = grouped ? NAMED.matcher(text).replaceAll(" AS g$1") : text;
        return MonetRewrites.wide(NUMBERED.matcher(named)
                .replaceAll(groups -> "GROUP BY "
                        + NUMBER.matcher(groups.group(1))
                                .replaceAll(number -> "g" + (Integer.parseInt(number.group()) - 1))));
    }
}
