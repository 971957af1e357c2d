package io.uniserve.port.solr;

import io.uniserve.api.PackedFiles;
import io.uniserve.api.plan.JsonFacets;
import io.uniserve.api.plan.QueryWindow;
import io.uniserve.api.plan.SupportTable;
import java.util.Arrays;
import java.util.Date;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.search.QueryParsing;
import org.apache.solr.search.SyntaxError;
import org.apache.solr.util.DateMathParser;
import org.jspecify.annotations.Nullable;
import org.noggit.JSONUtil;

/** What of Solr's language is supported, from {@code language.txt}. Solr itself checks queries, fields and functions. */
final class SolrLanguage {
    static final SupportTable TABLE = new SupportTable(PackedFiles.resource(SolrLanguage.class, "language.txt"));

    /** Every actor tells all terms, unless the user says how many more. No overflow where Solr adds limits to it. */
    private static final int ALL_TERMS = 100_000_000;

    private SolrLanguage() {}

    /**
     * Checks a request's parameters, those in its JSON among them, and returns what makes the answer of actors comparable
     * with that of one core. Names that values refer to, as in {@code $qq}, are the user's own.
     */
    static ModifiableSolrParams checked(SolrQueryRequest request, String keyField) throws SyntaxError {
        ModifiableSolrParams params = new ModifiableSolrParams(request.getParams());
        String all = Stream.concat(params.stream(), request.getOriginalParams().stream())
                .flatMap(asked -> Arrays.stream(asked.getValue()))
                .collect(Collectors.joining(" "));
        TABLE.check(params, all);
        Object facet = request.getJSON() == null ? null : request.getJSON().get("facet");
        Object exact = JsonFacets.withOptions(facet, Map.of("refine", true, "overrequest", ALL_TERMS));
        String facets = exact == null ? null : JSONUtil.toJSON(exact);
        bound(params, all, facet);
        boolean nearest = params.get("q", "").startsWith("{!knn ");
        refuseParts(((nearest ? all.replace(params.get("q"), "") : all) + facets).replace("\\", ""), keyField);
        String key = request.getSchema().getUniqueKeyField().getName();
        // Over several actors Solr looks for the documents of a query's group by the other sort.
        boolean byQuery = params.get("group.query") != null && params.get("group.field") == null;
        String inGroups = params.get("group.sort") == null ? null : sort(params.get("group.sort"), key);
        params.setNonNull("group.sort", inGroups);
        params.set("sort", byQuery && inGroups != null ? inGroups : sort(params.get("sort", ""), key));
        // Lists of actors that are complete are exact in one round, and longer ones cost less than another round.
        params.set("facet.overrequest.count", 100);
        String[] pivots = Objects.requireNonNullElse(params.getParams("facet.pivot"), new String[0]);
        Stream.of(String.join(",", pivots).replaceAll("\\{!.*?}|[\\[\\] ]", "").split(","))
                .filter(field -> !field.isEmpty())
                .forEach(field -> params.set("f." + field + ".facet.overrequest.count", ALL_TERMS));
        params.getParameterNames().removeIf(name -> name.startsWith("json") && name.matches("json(\\.(?!nl).*)?"));
        params.setNonNull("json.facet", facets);
        return params;
    }

    /** Refuses, by name, query parsers and functions whose answer over parts of a table may differ from that over the whole. */
    static void refuseParts(String text, String keyField) {
        TABLE.checkParts(text, rest -> rest.startsWith("{!collapse field=" + keyField + "}"));
    }

    /** Refuses numbers by which Solr would take memory: those of pages, groups, nearest documents, n-grams and ranges. */
    private static void bound(SolrParams params, String all, @Nullable Object jsonFacets) throws SyntaxError {
        QueryWindow.checkPage(params::getDouble);
        SolrParams query = QueryParsing.getLocalParams(params.get("q"), params);
        QueryWindow.check("topK", query == null ? 0 : query.getDouble("topK", 0));
        QueryWindow.checkEach("ngram", "\\bngram\\s*,\\s*(\\d+)", all);
        Date now = params.get("NOW") == null ? null : new Date(params.getLong("NOW"));
        QueryWindow.Dates dates = (text, from) -> from == null
                ? DateMathParser.parseMath(now, text).getTime()
                : DateMathParser.parseMath(new Date(from), "NOW" + text).getTime();
        QueryWindow.checkRanges(jsonFacets, dates);
        for (String range : Objects.requireNonNullElse(params.getParams("facet.range"), new String[0])) {
            SolrParams local = QueryParsing.getLocalParams(range, params);
            SolrParams own = SolrParams.wrapDefaults(local, params);
            String field = local == null ? range : local.get("v");
            QueryWindow.checkRange(name -> own.getFieldParam(field, "facet.range." + name, ""), dates);
        }
    }

    /** Ties are broken by uniqueKey, so that the order does not depend on how documents are spread. */
    private static String sort(String sort, String key) {
        boolean byKey = sort.contains(key) && sort.matches("(?s)(.*,)?\\s*\\Q" + key + "\\E\\s.*");
        return byKey ? sort : (sort.isBlank() ? "score desc" : sort) + "," + key + " asc";
    }
}
