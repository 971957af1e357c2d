package io.uniserve.port.monetdb;

import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Rewrites of SQL that MonetDBLite answers incorrectly into equivalent forms that it answers correctly. Statements must not contain quoted
 * texts here.
 */
final class MonetQueryRewriter {
    /** Difference of equal expressions: MonetDB returns zero, for NULL too. */
    private static final Pattern SAME = Pattern.compile("\\((\"\\w+\"|[\\w.]+(?:\"\\w+\")?|\\(.*?\\)) - \\1\\)");

    /** Largest values of types: MonetDB's NOT EQUAL of a column with one of these is true for no row. */
    private static final Pattern LARGEST =
            Pattern.compile("(?<![\\w.])(?<!LIMIT |OFFSET )(127|32767|2147483647)(?![\\w.])");

    private static final Map<String, String> WIDER =
            Map.of("127", "SMALLINT", "32767", "INTEGER", "2147483647", "BIGINT");
    private static final Pattern MONTHS = Pattern.compile("(?<! ) \\+ INTERVAL (\\S+) (MONTH|YEAR)\\) AS DATE\\)");
    private static final String DAYS = "CAST((";
    private static final Pattern END = Pattern.compile("(?: LIMIT \\d+)?(?: OFFSET \\d+)?$");
    private static final Pattern KEY = Pattern.compile("(.*?)( DESC)?( NULLS FIRST| NULLS LAST)?");
    private static final Pattern ALIAS = Pattern.compile(" AS ([cg]\\d+)$");
    private static final String ORDER = " ORDER BY ";
    private static final String DISTINCT = "SELECT DISTINCT ";

    private MonetQueryRewriter() {}

    /** Applies all rewrites to a statement. */
    static String rewriteAll(String statement) {
        return rewriteOrder(rewriteMonths(SAME.matcher(statement).replaceAll("($1 * 0)")));
    }

    /** Casts the largest values of types to wider types. */
    static String widenLargest(String text) {
        return LARGEST.matcher(text)
                .replaceAll(found -> "CAST(" + found.group() + " AS " + WIDER.get(found.group()) + ")");
    }

    /** Corrects the addition of months. In MonetDB 31 January plus a month is 3 March: days beyond the month's end are subtracted. */
    private static String rewriteMonths(String statement) {
        String text = statement;
        Matcher found = MONTHS.matcher(text);
        while (found.find()) {
            int from = opening(text, found.start()) - DAYS.length() + 1;
            String day = text.substring(from + DAYS.length(), found.start());
            // The two blanks mark this sum as done.
            String then = "CAST((" + day + "  + INTERVAL " + found.group(1) + " " + found.group(2) + ") AS DATE)";
            String number = "EXTRACT(DAY FROM " + then + ")";
            text = text.substring(0, from) + "CASE WHEN " + number + " < EXTRACT(DAY FROM " + day + ") THEN CAST(("
                    + then
                    + " - " + number + " * INTERVAL '1' DAY) AS DATE) ELSE " + then + " END"
                    + text.substring(found.end());
            found = MONTHS.matcher(text);
        }
        return text;
    }

    /** Returns the position of the parenthesis that opens around a place. */
    private static int opening(String text, int place) {
        int depth = 1;
        int i = place;
        while (depth > 0) {
            i--;
            depth += text.charAt(i) == ')' ? 1 : text.charAt(i) == '(' ? -1 : 0;
        }
        return i;
    }

    /** Orders by IS NULL first, because MonetDB ignores NULLS FIRST and NULLS LAST with LIMIT. NULL is last by default. */
    private static String rewriteOrder(String statement) {
        List<Integer> places = indexesOutside(statement, ORDER);
        if (places.isEmpty()) {
            return statement;
        }
        int order = places.get(places.size() - 1);
        Matcher end = END.matcher(statement);
        String limit = end.find(order) ? end.group() : "";
        String keys = statement.substring(order + ORDER.length(), statement.length() - limit.length());
        String before = statement.substring(0, order);
        boolean distinct = before.startsWith(DISTINCT);
        int items = (distinct ? DISTINCT : "SELECT ").length();
        List<String> values =
                parts(before.substring(items, indexesOutside(before, " FROM ").get(0)));
        Map<String, String> aliases = new HashMap<>();
        for (int i = 0; i < values.size(); i++) {
            Matcher alias = ALIAS.matcher(values.get(i));
            if (alias.find()) {
                values.set(i, values.get(i).substring(0, alias.start()));
                aliases.put(alias.group(1), values.get(i));
            }
        }
        String names = IntStream.range(0, values.size()).mapToObj(i -> "x" + i).collect(Collectors.joining(", "));
        String by = parts(keys).stream()
                .map(key -> key(key, values, aliases, distinct))
                .filter(key -> !key.isEmpty())
                .collect(Collectors.joining(", "));
        String from = distinct ? "SELECT " + names + " FROM (" + before + ") AS x(" + names + ")" : before;
        return from + (by.isEmpty() ? "" : ORDER + by) + limit;
    }

    private static String key(String text, List<String> values, Map<String, String> aliases, boolean distinct) {
        Matcher key = KEY.matcher(text);
        if (!key.matches()) {
            throw UniserveException.unsupported("MonetDB: unsupported ORDER BY " + text);
        }
        String value = key.group(1).matches("\\d+")
                ? values.get(Integer.parseInt(key.group(1)) - 1)
                : aliases.getOrDefault(key.group(1), key.group(1));
        if (value.matches("[\\d.]+")) {
            return "";
        }
        if (distinct) {
            if (!values.contains(value)) {
                throw UniserveException.unsupported(
                        "MonetDB: DISTINCT with an ORDER BY of a value that is not selected");
            }
            value = "x" + values.indexOf(value);
        }
        String way = key.group(2) == null ? "" : key.group(2);
        boolean first = String.valueOf(key.group(3)).endsWith("FIRST");
        return "CASE WHEN " + value + " IS NULL THEN 1 ELSE 0 END" + (first ? " DESC, " : ", ") + value + way;
    }

    private static List<String> parts(String list) {
        List<String> parts = new ArrayList<>();
        int from = 0;
        for (int comma : indexesOutside(list, ", ")) {
            parts.add(list.substring(from, comma));
            from = comma + 2;
        }
        parts.add(list.substring(from));
        return parts;
    }

    /** Returns the positions of these words outside of parentheses. */
    private static List<Integer> indexesOutside(String text, String words) {
        List<Integer> places = new ArrayList<>();
        int depth = 0;
        for (int i = 0; i < text.length(); i++) {
            depth += text.charAt(i) == '(' ? 1 : text.charAt(i) == ')' ? -1 : 0;
            if (depth == 0 && text.startsWith(words, i)) {
                places.add(i);
            }
        }
        return places;
    }
}
