package io.uniserve.port.solr;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.Printable;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.search.QParser;
import org.apache.solr.search.QParserPlugin;
import org.apache.solr.search.QueryParsing;
import org.jspecify.annotations.Nullable;

/**
 * The part of Solr's parameter language that is supported; every other parameter is refused by name. Solr itself checks
 * queries, fields and sorts.
 */
final class SolrLanguage {
    /** What each supported parameter's value must look like before Solr sees it. */
    private static final Map<String, Shape> SUPPORTED = new TreeMap<>();

    static {
        support("(?s).*", "any text", "q q.alt fq qf pf pf2 pf3 mm tie bq bf boost uf facet.prefix");
        support("\\d{1,9}", "a whole number, 0 to 999999999", "start rows ps ps2 ps3 qs facet.offset facet.mincount");
        support("-1|\\d{1,9}", "a whole number, -1 to 999999999", "facet.limit");
        support("true|false", "true or false", "sow mm.autoRelax lowercaseOperators stopwords facet omitHeader");
        support("(?i)and|or", "AND or OR", "q.op");
        support("count|index", "count or index", "facet.sort");
        support("lucene|edismax", "lucene or edismax; others are not supported", "defType");
        support("json", "json; others are not supported", "wt");
        support("none", "none; others are not supported", "echoParams");
        support("[\\p{L}_][\\p{L}\\p{N}_.-]*", "a field's name; local parameters are not supported", "df facet.field");
        support(
                "[\\p{L}\\p{N}_.*?, -]+",
                "fields, *, patterns such as *_s, and score; functions, aliases and transformers are not supported",
                "fl");
        support(
                "(?!.*\\b_docid_\\b)[^(){}$]*",
                "fields and score, each with asc or desc; functions and _docid_ are not supported",
                "sort");
    }

    private static final Set<String> REPEATED =
            Set.of("fq", "fl", "qf", "pf", "pf2", "pf3", "bq", "bf", "boost", "facet.field");
    private static final Pattern PER_FIELD =
            Pattern.compile("f\\.(.+)\\.(facet\\.(?:limit|offset|mincount|sort|prefix))");

    private SolrLanguage() {}

    private record Shape(Pattern pattern, String remedy) {}

    /** Stands in for a query parser that is not supported, and refuses by its name. Named in {@code solrconfig.xml}. */
    public static final class RefusedParser extends QParserPlugin {
        @Override
        public QParser createParser(
                @Nullable String text, @Nullable SolrParams local, SolrParams params, SolrQueryRequest request) {
            String name = local == null ? "asked for" : "{!" + local.get(QueryParsing.TYPE) + "}";
            throw UniserveException.unsupported("query parser " + name
                    + " is not supported: use lucene, edismax, field, term, terms, prefix or bool");
        }
    }

    private static void support(String pattern, String remedy, String names) {
        for (String name : names.split(" ")) {
            SUPPORTED.put(name, new Shape(Pattern.compile(pattern), remedy));
        }
    }

    /** Reads {@code name=value&...} with URL escapes, checks it and adds what makes answers comparable. */
    static ModifiableSolrParams parse(String text) {
        ModifiableSolrParams params = new ModifiableSolrParams();
        for (String pair : text.strip().split("&")) {
            if (!pair.isEmpty()) {
                String[] parts = pair.split("=", 2);
                add(params, decode(parts[0]), parts.length == 1 ? "" : decode(parts[1]));
            }
        }
        long window = (long) params.getInt("start", 0) + params.getInt("rows", 10);
        if (window > Limits.QUERY_WINDOW_ROWS_MAX) {
            throw UniserveException.invalid(
                    "start + rows is " + window + ": use at most " + Limits.QUERY_WINDOW_ROWS_MAX);
        }
        params.set("sort", sort(params.get("sort")));
        params.set("indent", "off");
        params.set("df", params.get("df", SolrEngine.DEFAULT_FIELD));
        return params;
    }

    private static void add(ModifiableSolrParams params, String name, String value) {
        Matcher perField = PER_FIELD.matcher(name);
        String kind = perField.matches() ? perField.group(2) : name;
        Shape shape = SUPPORTED.get(kind);
        if (shape == null) {
            throw UniserveException.unsupported("parameter \"" + Printable.line(name) + "\" is not supported: use "
                    + String.join(", ", SUPPORTED.keySet()) + " or f.FIELD.facet.*");
        }
        if (params.get(name) != null && !REPEATED.contains(kind)) {
            throw UniserveException.invalid("parameter " + name + " is given twice: give it once");
        }
        if (!shape.pattern().matcher(value).matches()) {
            throw new UniserveException(
                    shape.remedy().contains("not supported") ? ErrorCode.UNSUPPORTED : ErrorCode.INVALID_ARGUMENT,
                    "parameter " + name + " is \"" + Printable.line(value) + "\": use " + shape.remedy());
        }
        params.add(name, value);
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, "bad escape in the query: write % as %25", e);
        }
    }

    /** Ties are broken by uniqueKey, so that the order does not depend on how documents are spread. */
    private static String sort(@Nullable String sort) {
        String asked = sort == null || sort.isBlank() ? "score desc" : sort;
        boolean byKey = asked.matches("(?s)(.*,)?\\s*" + SolrEngine.UNIQUE_KEY + "\\s.*");
        return byKey ? asked : asked + "," + SolrEngine.UNIQUE_KEY + " asc";
    }
}
