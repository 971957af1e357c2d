package io.uniserve.port.solr;

import io.uniserve.api.PackedFiles;
import io.uniserve.api.plan.SupportTable;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.request.SolrQueryRequest;
import org.noggit.JSONUtil;

/** What of Solr's language is supported, from {@code language.txt}. Solr itself checks queries, fields and functions. */
final class SolrLanguage {
    static final SupportTable TABLE = new SupportTable(PackedFiles.resource(SolrLanguage.class, "language.txt"));

    private static final Pattern FUNCTION = Pattern.compile("\\b(" + TABLE.refused("function") + ")\\s*\\(");
    private static final Pattern PARSER = Pattern.compile(
            "\\{!(?:[^}]*\\btype\\s*=)?\\s*[\"']?(" + TABLE.refused("parser") + "|\\$\\w+)\\b(?!\\s*=)");

    /** Enough for every term of an actor, and no overflow where Solr adds limits to it. */
    private static final int ALL_TERMS = 100_000_000;

    private SolrLanguage() {}

    /**
     * Checks a request's parameters, those in its JSON among them, and returns what makes the answer of actors comparable
     * with that of one core. Names that values refer to, as in {@code $qq}, are the user's own.
     */
    static ModifiableSolrParams checked(SolrQueryRequest request, String keyField) {
        ModifiableSolrParams params = new ModifiableSolrParams(request.getParams());
        String all = Stream.concat(params.stream(), request.getOriginalParams().stream())
                .flatMap(asked -> Arrays.stream(asked.getValue()))
                .collect(Collectors.joining(" "));
        params.forEach(one -> TABLE.check(
                one.getKey(),
                one.getValue(),
                name -> Pattern.compile("\\$\\{?" + Pattern.quote(name) + "\\b")
                        .matcher(all)
                        .find()));
        boolean nearest = params.get("q", "").startsWith("{!knn ");
        refuseParts(nearest ? all.replace(params.get("q"), "") : all, keyField);
        String key = request.getSchema().getUniqueKeyField().getName();
        // Over several actors Solr looks for the documents of a query's group by the other sort.
        boolean byQuery = params.get("group.query") != null && params.get("group.field") == null;
        String inGroups = params.get("group.sort") == null ? null : sort(params.get("group.sort"), key);
        params.setNonNull("group.sort", inGroups);
        params.set("sort", byQuery && inGroups != null ? inGroups : sort(params.get("sort", ""), key));
        String pivots = Arrays.toString(params.getParams("facet.pivot")).replaceAll("\\{!.*?}|[\\[\\] ]", "");
        for (String field : pivots.split(",")) {
            params.set("f." + field + ".facet.overrequest.count", ALL_TERMS);
        }
        params.getParameterNames().removeIf(name -> name.matches("json(\\.(?!nl).*)?"));
        if (request.getJSON() != null && request.getJSON().get("facet") instanceof Map<?, ?> facets) {
            params.set("json.facet", JSONUtil.toJSON(exact(facets, false)));
        }
        return params;
    }

    /** Refuses, by name, query parsers and functions whose answer over parts of a table may differ from that over the whole. */
    static void refuseParts(String text, String keyField) {
        Matcher function = FUNCTION.matcher(text);
        Matcher parser = PARSER.matcher(text);
        if (function.find()) {
            throw TABLE.unsupported("function", function.group(1));
        }
        while (parser.find()) {
            if (!text.startsWith("{!collapse field=" + keyField + "}", parser.start())) {
                throw TABLE.unsupported("parser", parser.group(1));
            }
        }
    }

    /** Ties are broken by uniqueKey, so that the order does not depend on how documents are spread. */
    private static String sort(String sort, String key) {
        boolean byKey = sort.matches("(?s)(.*,)?\\s*" + Pattern.quote(key) + "\\s.*");
        return byKey ? sort : (sort.isBlank() ? "score desc" : sort) + "," + key + " asc";
    }

    /** JSON facets in which every actor tells all terms, unless the user says how many more than the limit. */
    private static Object exact(Object facet, boolean terms) {
        if (!(facet instanceof Map<?, ?> map)) {
            return terms && facet instanceof String field ? exact(Map.of("field", field), true) : facet;
        }
        Map<Object, Object> exact = new LinkedHashMap<>();
        map.forEach((name, value) -> exact.put(name, exact(value, name.equals("terms"))));
        if (terms || "terms".equals(exact.get("type"))) {
            exact.putIfAbsent("refine", true);
            exact.putIfAbsent("overrequest", ALL_TERMS);
        }
        return exact;
    }
}
