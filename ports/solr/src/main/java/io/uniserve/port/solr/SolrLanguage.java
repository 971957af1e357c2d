package io.uniserve.port.solr;

import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.codec.CodePoints;
import io.uniserve.error.ErrorCode;
import io.uniserve.port.solr.facet.JsonFacetWalker;
import io.uniserve.port.solr.query.LanguageCapabilities;
import io.uniserve.port.solr.query.ParameterTextEncoder;
import io.uniserve.port.solr.query.QueryWindowChecker;
import java.util.Date;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.schema.IndexSchema;
import org.apache.solr.search.QueryParsing;
import org.apache.solr.util.DateMathParser;
import org.jspecify.annotations.Nullable;
import org.noggit.JSONUtil;

/** Supported part of Solr's query language, from {@code language.txt}. Solr itself checks queries, fields and functions. */
final class SolrLanguage {
    static final LanguageCapabilities TABLE =
            new LanguageCapabilities(PackedFilesCodec.readResource(SolrLanguage.class, "language.txt"));
    /** Limit that makes every actor return all terms, small enough that Solr's additions do not overflow. */
    private static final int ALL_TERMS = 100_000_000;

    /** Parameters that change no answer. */
    private static final Set<String> UNUSED =
            Set.of("_", "echoParams", "facet.threads", "shards.preference", "timeAllowed");

    /** Parameters that the table refuses, and Solr's distributed search adds to requests of shards. */
    private static final Set<String> ADDED_BY_SOLR =
            Set.of("isShard", "facet.overrequest.count", "facet.overrequest.ratio", "facet.shard.limit");

    /** Parameters of users that are replaced before requests of shards are made. */
    private static final Pattern NEVER_SENT = Pattern.compile("json(?:\\.(?!facet|nl).*)?");

    private SolrLanguage() {}

    /** Sets the request handler by its path, given as {@code select} or {@code /query} as in Solr. */
    static void setHandler(ModifiableSolrParams params) {
        String[] given = params.getParams("qt");
        if (given != null) {
            TABLE.check("qt", given, any -> false);
        }
        params.set("qt", "/get".equals(params.get("qt")) ? "/get" : "/select");
    }

    /**
     * Checks the parameters of a shard request, which a client may send too. Refuses other handlers, parameters that {@link #TABLE} refuses
     * and Solr does not add to requests of shards, and entities in XML.
     */
    static void checkShardRequest(ModifiableSolrParams params) {
        setHandler(params);
        params.getParameterNames().forEach(name -> {
            String value = params.get(name);
            boolean added = ADDED_BY_SOLR.contains(name)
                    || name.equals("distrib") && "false".equals(value)
                    || name.equals("shards.qt") && ClosedParts.HANDLERS.contains(value);
            if (!added && TABLE.isRefused(name) || NEVER_SENT.matcher(name).matches()) {
                throw TABLE.unsupported("parameter", name);
            }
        });
    }

    /** Checks parameters, including those in JSON, and makes answers of several actors equal to those of one core. */
    static ModifiableSolrParams check(SolrQueryRequest request, String keyField) throws Exception {
        ModifiableSolrParams params = new ModifiableSolrParams(request.getParams());
        // The default field of Solr's configset _default, or of the port's.
        params.set("df", params.get("df", request.getSchema().hasExplicitField("_text_") ? "_text_" : "text"));
        String all = LanguageCapabilities.toLines(params) + LanguageCapabilities.toLines(request.getOriginalParams());
        TABLE.check(params, all);
        Object facet = request.getJSON() == null ? null : request.getJSON().get("facet");
        Object exact = JsonFacetWalker.withOptions(
                facet, Map.of("refine", true, "overrequest", ALL_TERMS), TABLE::checkFacetOption);
        params.getParameterNames().removeAll(UNUSED);
        String facets = exact == null ? null : JSONUtil.toJSON(exact);
        checkLimits(params, all, facet, request.getSchema());
        refuseParts(CodePoints.checked(ErrorCode.INVALID_ARGUMENT, "query", all + facets), keyField);
        String key = request.getSchema().getUniqueKeyField().getName();
        // Over several actors Solr requests the documents of a query's group by the other sort.
        boolean byQuery = params.get("group.query") != null && params.get("group.field") == null;
        String inGroups =
                params.get("group.sort") == null ? null : ParameterTextEncoder.tied(params.get("group.sort"), key);
        params.setNonNull("group.sort", inGroups);
        params.set(
                "sort",
                byQuery && inGroups != null ? inGroups : ParameterTextEncoder.tied(params.get("sort", ""), key));
        // Complete lists of actors are exact in one round, and longer lists cost less than another round.
        params.set("facet.overrequest.count", params.get("facet.pivot") == null ? 100 : ALL_TERMS);
        params.getParameterNames().removeIf(name -> name.startsWith("json") && name.matches("json(\\.(?!nl).*)?"));
        params.setNonNull("json.facet", facets);
        return params;
    }

    /** Refuses, by name, query parsers and functions whose answers over parts of a table may differ from those over the whole. */
    static void refuseParts(String lines, String keyField) {
        String options = "( (min|max|sort|nullPolicy|hint)=('[^']*+'|\"[^\"]*+\"|[\\w.,()]++))*+";
        String collapse = "\\{!collapse field=\\Q" + keyField + "\\E(?!.*(_docid_|hint=.?block))" + options + " ?\\}.*";
        TABLE.checkParts(lines, rest -> rest.lines().findFirst().orElse("").matches(collapse));
    }

    /**
     * Refuses large numbers for pages, nearest documents, n-grams and ranges, for which Solr would use much memory, and duplicate names.
     */
    private static void checkLimits(SolrParams params, String all, @Nullable Object jsonFacets, IndexSchema schema)
            throws Exception {
        QueryWindowChecker.checkPage(params::getDouble);
        SolrParams query = QueryParsing.getLocalParams(params.get("q"), params);
        QueryWindowChecker.check("topK", query == null ? 0 : query.getDouble("topK", 0));
        QueryWindowChecker.checkEach("ngram", "\\bngram\\s*,\\s*(\\d+)", all);
        Date now = params.get("NOW") == null ? null : new Date(params.getLong("NOW"));
        QueryWindowChecker.Dates dates = (text, from) -> DateMathParser.parseMath(
                        from == null ? now : new Date(from), from == null ? text : "NOW" + text)
                .getTime();
        QueryWindowChecker.checkRanges(jsonFacets, dates);
        TABLE.checkNames(params::getParams, (parameter, value) -> {
            SolrParams local = QueryParsing.getLocalParams(value, params);
            SolrParams own = SolrParams.wrapDefaults(local, params);
            String field = local == null ? value : local.get("v");
            if (parameter.equals("facet.range")) {
                QueryWindowChecker.checkRange(name -> own.getFieldParam(field, "facet.range." + name, ""), dates);
            } else if (parameter.equals("group.field")
                    && String.valueOf(schema.getFieldTypeNoEx(field)).matches("\\S+\\.(Enum|Collation)Field.*")) {
                throw TABLE.unsupported("group.field of an enumeration or a collation", field);
            }
            String name = parameter.equals("facet.query") ? value : field;
            boolean alone = local != null && params.getInt("facet.mincount", 0) > 0;
            return new LanguageCapabilities.Named(field, local == null ? name : local.get("key", name), alone);
        });
    }
}
