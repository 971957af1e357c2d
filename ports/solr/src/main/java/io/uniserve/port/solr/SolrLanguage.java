package io.uniserve.port.solr;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.jspecify.annotations.Nullable;

/**
 * The part of Solr's parameter language that is supported; every other parameter is refused by name. Solr itself checks
 * queries, fields and sorts.
 */
final class SolrLanguage {
    private static final Pattern ANY = Pattern.compile("(?s).*");
    private static final Pattern FLAG = Pattern.compile("true|false");
    private static final Pattern COUNT = Pattern.compile("\\d{1,9}");
    private static final Pattern NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_.-]*");
    private static final Pattern FIELD_LIST = Pattern.compile("[\\p{L}\\p{N}_.*?, -]+");
    private static final Pattern SORT = Pattern.compile("[^(){}$]*");

    /** What each supported parameter's value must look like before Solr sees it. */
    private static final Map<String, Pattern> SUPPORTED = Map.ofEntries(
            Map.entry("q", ANY),
            Map.entry("q.op", Pattern.compile("(?i)and|or")),
            Map.entry("q.alt", ANY),
            Map.entry("df", NAME),
            Map.entry("defType", Pattern.compile("lucene|edismax")),
            Map.entry("sow", FLAG),
            Map.entry("fq", ANY),
            Map.entry("sort", SORT),
            Map.entry("start", COUNT),
            Map.entry("rows", COUNT),
            Map.entry("fl", FIELD_LIST),
            Map.entry("wt", Pattern.compile("json")),
            Map.entry("omitHeader", FLAG),
            Map.entry("echoParams", Pattern.compile("none")),
            Map.entry("qf", ANY),
            Map.entry("pf", ANY),
            Map.entry("pf2", ANY),
            Map.entry("pf3", ANY),
            Map.entry("ps", COUNT),
            Map.entry("ps2", COUNT),
            Map.entry("ps3", COUNT),
            Map.entry("qs", COUNT),
            Map.entry("mm", ANY),
            Map.entry("mm.autoRelax", FLAG),
            Map.entry("tie", ANY),
            Map.entry("bq", ANY),
            Map.entry("bf", ANY),
            Map.entry("boost", ANY),
            Map.entry("uf", ANY),
            Map.entry("lowercaseOperators", FLAG),
            Map.entry("stopwords", FLAG),
            Map.entry("facet", FLAG),
            Map.entry("facet.field", NAME),
            Map.entry("facet.limit", Pattern.compile("-1|\\d{1,9}")),
            Map.entry("facet.offset", COUNT),
            Map.entry("facet.mincount", COUNT),
            Map.entry("facet.sort", Pattern.compile("count|index")),
            Map.entry("facet.prefix", ANY));

    /** Parameters that may be given more than once. */
    private static final Set<String> REPEATED =
            Set.of("fq", "fl", "qf", "pf", "pf2", "pf3", "bq", "bf", "boost", "facet.field");

    private static final Pattern PER_FIELD =
            Pattern.compile("f\\.(.+)\\.(facet\\.(?:limit|offset|mincount|sort|prefix))");

    private SolrLanguage() {}

    /** Reads {@code name=value&...} with URL escapes, checks it and adds what makes answers comparable. */
    static ModifiableSolrParams parse(String text, Configset configset) {
        ModifiableSolrParams params = new ModifiableSolrParams();
        for (String pair : text.strip().split("&")) {
            if (!pair.isEmpty()) {
                int equals = pair.indexOf('=');
                String name = decode(equals < 0 ? pair : pair.substring(0, equals));
                add(params, name, equals < 0 ? "" : decode(pair.substring(equals + 1)));
            }
        }
        checkWindow(params);
        params.set("sort", sort(params.get("sort"), configset.uniqueKey()));
        params.set("indent", "off");
        if (params.get("df") == null) {
            params.set("df", configset.defaultField());
        }
        return params;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT, "bad escape in " + quote(text) + ": write % as %25", e);
        }
    }

    private static void add(ModifiableSolrParams params, String name, String value) {
        Matcher perField = PER_FIELD.matcher(name);
        String kind = perField.matches() ? perField.group(2) : name;
        Pattern shape = SUPPORTED.get(kind);
        if (shape == null) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "parameter " + quote(name) + " is not supported: use "
                            + String.join(", ", new TreeSet<>(SUPPORTED.keySet())) + " or f.FIELD.facet.*");
        }
        if (params.get(name) != null && !REPEATED.contains(kind)) {
            throw UniserveException.invalid("parameter " + quote(name) + " is given twice: give it once");
        }
        if (!shape.matcher(value).matches()) {
            boolean solrs = shape == SORT || shape == FIELD_LIST || shape == NAME || kind.equals("defType");
            throw new UniserveException(
                    solrs ? ErrorCode.UNSUPPORTED : ErrorCode.INVALID_ARGUMENT,
                    "parameter " + name + " is " + quote(value) + ": use " + wanted(shape));
        }
        params.add(name, value);
    }

    private static String wanted(Pattern shape) {
        if (shape == COUNT) {
            return "a whole number from 0 to 999999999";
        }
        if (shape == NAME) {
            return "a field's name";
        }
        if (shape == FIELD_LIST) {
            return "fields, *, patterns such as *_s, and score; functions, aliases and transformers are not supported";
        }
        if (shape == SORT) {
            return "fields and score, each with asc or desc; functions are not supported";
        }
        return shape.pattern().replace("(?i)", "").replace("|", " or ").replace("\\d{1,9}", "a whole number");
    }

    private static void checkWindow(ModifiableSolrParams params) {
        long window = (long) params.getInt("start", 0) + params.getInt("rows", 10);
        if (window > Limits.QUERY_WINDOW_ROWS_MAX) {
            throw UniserveException.invalid(
                    "start + rows is " + window + ": use at most " + Limits.QUERY_WINDOW_ROWS_MAX);
        }
    }

    /** Ties are broken by uniqueKey, so that the order does not depend on how documents are spread. */
    private static String sort(@Nullable String sort, String uniqueKey) {
        String asked = sort == null || sort.isBlank() ? "score desc" : sort.strip();
        if (asked.matches("(?s).*\\b_docid_\\b.*")) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED, "sort by _docid_ is not supported: it differs between replicas");
        }
        boolean byKey = Arrays.stream(asked.split(","))
                .anyMatch(clause -> clause.strip().split("\\s+")[0].equals(uniqueKey));
        return byKey ? asked : asked + "," + uniqueKey + " asc";
    }

    private static String quote(String text) {
        String cut = text.length() > 60 ? text.substring(0, 60) + "..." : text;
        return '"' + cut.replaceAll("\\p{Cntrl}", "?") + '"';
    }
}
