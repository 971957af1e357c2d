package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Expressions for each function and aggregate that queries may use, and query templates for them. */
final class FunctionCases {
    static final String COLUMNS =
            ", g varchar, a bigint, b integer, c decimal(12,2), d double, s varchar, dt date, f boolean,"
                    + " n varchar, p decimal(38,4)";

    /** Maximum relative difference of numbers. */
    private static final double CLOSE = 1e-9;

    private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?([eE][-+]?\\d+)?");

    /** Placeholder of the expression in a template. */
    private static final String HERE = "#";

    static final Map<String, String> SCALARS = new TreeMap<>();
    static final Map<String, String> AGGREGATES = new TreeMap<>();

    /** Statement for Uniserve and the equivalent one for DuckDB. */
    record Pair(String ours, String theirs) {
        String ours(String shape) {
            return shape.replace(HERE, ours);
        }

        String theirs(String shape) {
            return shape.replace(HERE, theirs);
        }
    }

    static final List<String> SHAPES = List.of(
            "SELECT # FROM h",
            "SELECT #, count(*), count(DISTINCT a) FROM h",
            "SELECT g, # FROM h GROUP BY g ORDER BY g NULLS FIRST",
            "SELECT g, #, sum(b) FROM h WHERE id > 5 GROUP BY g ORDER BY g NULLS FIRST",
            "SELECT id % 45, # FROM h GROUP BY 1 ORDER BY 1",
            "SELECT id, # FROM h WHERE id < 9 GROUP BY id ORDER BY id LIMIT 5",
            "SELECT # FROM e",
            "SELECT g, # FROM e GROUP BY g",
            "SELECT # FROM u",
            "SELECT #, # FROM h WHERE FALSE",
            "SELECT g, # FILTER (WHERE b > 1) FROM h GROUP BY g ORDER BY g NULLS FIRST",
            "SELECT # FILTER (WHERE FALSE), # FILTER (WHERE f) FROM h",
            "SELECT g FROM h GROUP BY g HAVING # IS NOT NULL AND count(*) > 2 ORDER BY g NULLS FIRST",
            "SELECT g, f, # FROM h GROUP BY g, f ORDER BY g NULLS FIRST, f NULLS FIRST LIMIT 4 OFFSET 1",
            "SELECT g FROM h GROUP BY g ORDER BY # IS NULL, g NULLS FIRST LIMIT 2",
            "SELECT count(x), max(x) FROM (SELECT g, # AS x FROM h GROUP BY g) AS q",
            "SELECT wt, # FROM h JOIN w ON a = wa GROUP BY wt ORDER BY wt",
            "SELECT wt, # FROM w LEFT JOIN h ON a = wa AND b > 0 GROUP BY wt ORDER BY wt",
            "SELECT /*+ shuffle */ wt, # FROM h JOIN w ON a = wa GROUP BY wt ORDER BY wt",
            "SELECT id, (SELECT # FROM v WHERE v.a = h.a) FROM h ORDER BY id",
            "SELECT DISTINCT # FROM h GROUP BY g ORDER BY 1 NULLS FIRST",
            "SELECT CASE WHEN # IS NULL THEN 'none' ELSE g END AS k FROM h GROUP BY g ORDER BY k NULLS FIRST");

    static {
        scalar("AND", "f AND b > 1", "f AND n IS NULL");
        scalar("OR", "f OR b > 1", "f OR n IS NULL");
        scalar("NOT", "NOT f", "NOT (b > 1)");
        scalar("=", "a = b", "c = a", "d = a", "s = n", "CAST(n AS DOUBLE) = d");
        scalar("<>", "a <> b", "c <> d", "s <> 'a'");
        scalar("<", "a < b", "c < d", "s < n", "dt < DATE '2000-01-01'", "CAST(n AS DOUBLE) < d");
        scalar("<=", "a <= b", "d <= c", "s <= n");
        scalar(">", "a > b", "d > c", "s > 'Z'", "CAST(n AS DOUBLE) > 0e0");
        scalar(">=", "a >= b", "d >= c", "s >= n");
        scalar(
                "+",
                "a + b",
                "c + d",
                "+b",
                "dt + INTERVAL '1' MONTH=> CAST(dt + INTERVAL '1' MONTH AS DATE)",
                "p + 1",
                "a + 9223372036854775806");
        scalar(
                "-",
                "a - b",
                "-d",
                "c - 1",
                "-c",
                "dt - INTERVAL '30' DAY=> CAST(dt - INTERVAL '30' DAY AS DATE)",
                "b - 2147483647",
                "d - d");
        scalar("*", "b * 3", "c * c", "d * d", "d * 1e300", "p * 2");
        scalar("/", "b / 2", "c / 4", "d / 3", "a / 7.0");
        scalar("%", "b % 3", "a % 7", "-b % 3", "b % -2");
        scalar("MOD", "mod(b, 3)", "MOD(a, -7)");
        scalar("||", "s || '-' || n", "s || NULLIF(n, n)");
        scalar("IS NULL", "s IS NULL", "(a + b) IS NULL");
        scalar("IS NOT NULL", "d IS NOT NULL");
        scalar("IS TRUE", "f IS TRUE", "(a > b) IS TRUE");
        scalar("IS NOT TRUE", "f IS NOT TRUE");
        scalar("IS FALSE", "f IS FALSE");
        scalar("IS NOT FALSE", "(a > b) IS NOT FALSE");
        scalar("IS UNKNOWN", "f IS UNKNOWN");
        scalar("IS NOT UNKNOWN", "(a > b) IS NOT UNKNOWN");
        scalar("IS DISTINCT FROM", "a IS DISTINCT FROM b", "s IS DISTINCT FROM 'a'");
        scalar("IS NOT DISTINCT FROM", "a IS NOT DISTINCT FROM b");
        scalar("BETWEEN ASYMMETRIC", "a BETWEEN b AND 5", "s BETWEEN 'a' AND 'b'", "d BETWEEN 2 AND 1");
        scalar("NOT BETWEEN ASYMMETRIC", "a NOT BETWEEN b AND 5", "dt NOT BETWEEN DATE '1990-01-01' AND dt");
        scalar("IN", "b IN (1, 2, NULL)", "s IN ('a', '')", "c IN (1, 2.5)");
        scalar("NOT IN", "b NOT IN (1, 2)", "b NOT IN (1, NULL)", "s NOT IN ('a')");
        scalar("LIKE", "s LIKE 'a%'", "s LIKE '_'", "s LIKE '%!_%' ESCAPE '!'", "n LIKE ''");
        scalar("NOT LIKE", "s NOT LIKE '%a%'", "s NOT LIKE s");
        scalar("EXISTS", "EXISTS (SELECT 1 FROM w WHERE wa = a)");
        scalar("CASE", "CASE WHEN b > 1 THEN s ELSE n END", "CASE b WHEN 1 THEN 'one' WHEN NULL THEN 'none' END");
        scalar(
                "CAST",
                "CAST(a AS VARCHAR)",
                "CAST(d AS VARCHAR)",
                "CAST(c AS BIGINT)",
                "CAST(c AS DECIMAL(5, 1))",
                "CAST(n AS DOUBLE)",
                "CAST(b AS DOUBLE)",
                "CAST(dt AS VARCHAR)",
                "CAST(a AS INTEGER)",
                "CAST(s AS INTEGER)");
        scalar(
                "EXTRACT",
                "EXTRACT(YEAR FROM dt)",
                "EXTRACT(QUARTER FROM dt)",
                "EXTRACT(MONTH FROM dt)",
                "EXTRACT(DAY FROM dt)");
        scalar("TRIM", "TRIM(s)", "TRIM(LEADING 'a' FROM s)", "TRIM(TRAILING ' b' FROM s)", "TRIM(BOTH '' FROM s)");
        scalar(
                "SUBSTRING",
                "SUBSTRING(s FROM 2)",
                "SUBSTRING(s, 1, 1)",
                "SUBSTRING(s, 0, 2)",
                "SUBSTRING(s, -1)",
                "SUBSTRING(s, -2, 1)",
                "SUBSTRING(s, 2, 0)",
                "SUBSTRING(s, b, b)");
        scalar("UPPER", "UPPER(s)", "upper(n)");
        scalar("LOWER", "LOWER(s)", "lower(upper(s))");
        scalar("CHAR_LENGTH => length", "char_length(s)=> length(s)");
        scalar("CHARACTER_LENGTH => length", "CHARACTER_LENGTH(s) => length(s)");
        scalar("ABS", "ABS(b)", "abs(d)", "ABS(c)", "ABS(CAST(n AS DOUBLE))");
        scalar("ROUND", "ROUND(d)", "round(c, 1)", "ROUND(d, 2)", "ROUND(c)", "ROUND(b)", "round(d, -1)");
        scalar("FLOOR", "FLOOR(d)", "floor(c)", "FLOOR(b)", "FLOOR(CAST(n AS DOUBLE))");
        scalar("CEIL", "CEIL(d)", "CEILING(c)", "ceil(b)");
        scalar("COALESCE", "COALESCE(a, b, 0)", "coalesce(s, n, '-')", "COALESCE(c, d)");
        scalar("NULLIF", "NULLIF(a, b)", "nullif(s, '')", "NULLIF(d, 0)");
        scalar("AS", "a");
        scalar("DESC", "(SELECT k FROM w ORDER BY k DESC LIMIT 1)");
        scalar("NULLS FIRST", "(SELECT wa FROM w ORDER BY nullif(wa, 1) NULLS FIRST, k LIMIT 1)");
        scalar("NULLS LAST", "(SELECT wa FROM w ORDER BY nullif(wa, 1) DESC NULLS LAST, k LIMIT 1)");

        aggregate(
                "COUNT", "count(*)", "count(a)", "count(DISTINCT s)", "count(ALL d)=> count(d)", "count(NULLIF(b, 1))");
        aggregate("SUM", "sum(a)", "sum(DISTINCT b)", "sum(c)", "sum(p)", "sum(d)", "sum(1)");
        aggregate("AVG", "avg(b)", "avg(a)", "avg(DISTINCT b)", "avg(c)", "avg(d)", "avg(p)");
        aggregate("MIN", "min(a)", "min(s)", "min(DISTINCT dt)", "min(f)", "min(CAST(n AS DOUBLE))");
        aggregate("MAX", "max(a)", "max(s)", "max(DISTINCT c)", "max(f)", "max(CAST(n AS DOUBLE))");
        aggregate("ANY_VALUE", "any_value(s)=> min(s)", "any_value(a)=> min(a)", "any_value(f)=> min(f)");
        aggregate("EVERY", "every(f)=> bool_and(f)", "EVERY(b > 1)=> bool_and(b > 1)");
        aggregate("SOME", "some(f)=> bool_or(f)", "SOME(a < 0)=> bool_or(a < 0)");
        aggregate("BOOL_AND", "bool_and(f)", "bool_and(b > 0)", "bool_and(DISTINCT f)", "bool_and(NOT (f AND a > 0))");
        aggregate("BOOL_OR", "bool_or(f)", "bool_or(s LIKE 'a%')", "bool_or(FALSE)");
        aggregate(
                "APPROX_COUNT_DISTINCT",
                "approx_count_distinct(a)=> count(DISTINCT a)",
                "approx_count_distinct(s)=> count(DISTINCT s)",
                "APPROX_COUNT_DISTINCT(c + b)=> count(DISTINCT c + b)");
        for (String name : List.of("STDDEV", "STDDEV_SAMP", "STDDEV_POP", "VARIANCE", "VAR_SAMP", "VAR_POP")) {
            String function = name.toLowerCase(java.util.Locale.ROOT);
            List<String> all = new ArrayList<>();
            for (String of : List.of("b", "a", "DISTINCT b", "c", "d", "p", "CAST(n AS DOUBLE)", "NULLIF(b, b)")) {
                all.add(function + "(" + of + ")");
            }
            aggregate(name, all.toArray(String[]::new));
        }
        aggregate(
                "MEDIAN",
                "median(a)",
                "median(DISTINCT b)",
                "median(c)",
                "median(d)",
                "median(p)",
                "median(CAST(n AS DOUBLE))");
        aggregate("QUANTILE", "quantile(b, 0.5)", "quantile(s, 0.25)", "quantile(DISTINCT a, 0.75)");
        aggregate("QUANTILE_CONT", "quantile_cont(b, 0.3)", "quantile_cont(c, 0)", "quantile_cont(DISTINCT d, 1)");
        aggregate("QUANTILE_DISC", "quantile_disc(b, 0.3)", "quantile_disc(dt, 0.9)", "quantile_disc(f, 0.5)");
        aggregate(
                "PERCENTILE_CONT",
                "percentile_cont(0.4) WITHIN GROUP (ORDER BY a)",
                "percentile_cont(0.4) WITHIN GROUP (ORDER BY d DESC)",
                "percentile_cont(0) WITHIN GROUP (ORDER BY c DESC)=> quantile_cont(c, 1)");
        aggregate(
                "PERCENTILE_DISC",
                "percentile_disc(0.4) WITHIN GROUP (ORDER BY s)",
                "percentile_disc(0.2) WITHIN GROUP (ORDER BY b DESC)",
                "percentile_disc(0) WITHIN GROUP (ORDER BY a DESC)=> max(a)");
        aggregate(
                "STRING_AGG",
                "string_agg(s, ',' ORDER BY id, s)",
                "string_agg(s, '; ' ORDER BY b DESC, s)",
                "string_agg(s, ',')=> string_agg(s, ',' ORDER BY s)",
                "string_agg(DISTINCT s, '')=> string_agg(DISTINCT s, '' ORDER BY s)",
                "string_agg(DISTINCT s, ',' ORDER BY s DESC)",
                "string_agg(CAST(a AS VARCHAR), '''' ORDER BY a NULLS FIRST, s)",
                "string_agg(upper(s) || n, ',' ORDER BY c DESC NULLS FIRST)"
                        + "=> string_agg(upper(s) || n, ',' ORDER BY c DESC NULLS FIRST, upper(s) || n)");
        aggregate(
                "LISTAGG",
                "listagg(s, '-') WITHIN GROUP (ORDER BY id)=> string_agg(s, '-' ORDER BY id)",
                "LISTAGG(s)=> string_agg(s, ',' ORDER BY s)");
        aggregate("FILTER", "sum(DISTINCT b)", "median(a)");
        aggregate(
                "WITHIN GROUP",
                "percentile_cont(0.5) WITHIN GROUP (ORDER BY b)",
                "listagg(n, '|') WITHIN GROUP (ORDER BY n DESC, id)=> string_agg(n, '|' ORDER BY n DESC, id)");
    }

    private FunctionCases() {}

    private static void scalar(String name, String... cases) {
        SCALARS.put(name.replaceFirst(" =>.*", ""), String.join("\n", cases));
    }

    private static void aggregate(String name, String... cases) {
        AGGREGATES.put(name, String.join("\n", cases));
    }

    static Set<String> names() {
        Set<String> all = new TreeSet<>(SCALARS.keySet());
        all.addAll(AGGREGATES.keySet());
        return all;
    }

    static List<Pair> scalars(String name) {
        return pairs(SCALARS.getOrDefault(name, ""));
    }

    static List<Pair> aggregates(String name) {
        return pairs(AGGREGATES.getOrDefault(name, ""));
    }

    private static List<Pair> pairs(String cases) {
        return cases.lines()
                .map(one -> one.split("=> ", 2))
                .map(one -> new Pair(one[0].strip(), one[one.length - 1].strip()))
                .toList();
    }

    /** Returns a row's values after its key: small and large ones, and many NULLs. */
    static String row(Random random) {
        List<List<String>> all = List.of(
                List.of("p", "q", "r", ""),
                List.of("-2", "-1", "0", "1", "2", "3", "4", "9007199254740993", "-9223372036854775807"),
                List.of("-1", "0", "1", "2", "3", "6", "2147483647", "-2147483647"),
                List.of("0.00", "1.00", "2.50", "3.50", "-1.25", "9999999999.99"),
                List.of("0.0", "-0.0", "-0.5", "1.0", "2.5", "1000000000000", "0.1", "1e300", "5e-324"),
                List.of("a", "b", "A", "ab", "a_b", "a%b", "é", "日本", " a ", "10", "z'z", "ß", "Ω", "😀b"),
                List.of("2020-02-29", "2019-02-28", "2020-01-31", "1999-12-31", "1900-02-28", "0001-01-01"),
                List.of("true", "false"),
                List.of("0.5", "nan", "inf", "-inf", "-0.0", "12", "1e308"),
                List.of("0.0000", "1.2345", "999999999999999999999999999999.9999", "-0.0001"));
        StringBuilder row = new StringBuilder();
        for (List<String> values : all) {
            row.append(random.nextInt(5) == 0 ? "" : values.get(random.nextInt(values.size())));
            row.append('|');
        }
        return row.toString();
    }

    /** Checks that texts are equal, and numbers except for their last digits. */
    static void assertClose(String told, String answer, String expected) {
        Matcher one = NUMBER.matcher(answer);
        Matcher other = NUMBER.matcher(expected);
        assertThat(one.replaceAll("#")).as(told).isEqualTo(other.replaceAll("#"));
        one.reset();
        other.reset();
        while (one.find() && other.find()) {
            if (!one.group().equals(other.group())) {
                double wanted = Double.parseDouble(other.group());
                double most = Math.max(Math.abs(wanted) * CLOSE, Double.MIN_NORMAL);
                assertThat(Math.abs(Double.parseDouble(one.group()) - wanted))
                        .as(told + "\n" + answer + "\n" + expected)
                        .isLessThanOrEqualTo(most);
            }
        }
    }
}
