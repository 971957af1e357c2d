package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.solr.facet.JsonFacetWalker;
import io.uniserve.port.solr.query.ParameterTextEncoder;
import io.uniserve.testkit.solr.HandWrittenQueries;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.core.SolrCore;
import org.apache.solr.request.LocalSolrQueryRequest;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.search.QParserPlugin;
import org.apache.solr.search.ValueSourceParser;
import org.apache.solr.servlet.SolrRequestParsers;
import org.apache.solr.util.SolrPluginUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coverage of every name in the language's table. An unsupported name is refused in each place where it may occur, with an error that names
 * it. A supported one occurs in a query of {@link FeatureParityTest}, which compares the answer with plain Solr's. The same holds for every
 * parser and function of Solr: the table or a query covers it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LanguageCoverageTest {
    private static final Logger LOG = LoggerFactory.getLogger(LanguageCoverageTest.class);
    private static final String FACET = "json.facet/";
    private static final Pattern OF_A_FIELD = Pattern.compile("f\\.\\w+\\.(.*)");
    private static final Pattern PARSER = Pattern.compile("(?:\\{!(?:[^}]*\\s)?|defType=|type=)(\\w+)(?=[\\s}&]|$)");
    private static final Pattern FUNCTION = Pattern.compile("\\b(\\w+)\\(");

    private final SolrEngine engine = new SolrEngine();
    private final Set<String> asked = new TreeSet<>();
    private EngineInstance instance;
    private LocalTable table;

    /** Name in a line of the table. */
    private record Name(String kind, String name, String remark) {
        @Override
        public String toString() {
            return kind + " " + name;
        }
    }

    @BeforeAll
    void readTheQueries(@TempDir Path directory) {
        instance = LocalTable.open(engine, directory);
        table = new LocalTable(engine, instance, directory, 2);
        table.add(List.of(new Document("id", Map.of("id", "a", "brand_s", "b", "stock_i", 1L))));
        for (String query : HandWrittenQueries.ofFeatures()) {
            engine.planning().with(table.meta(), core -> read(core, query));
        }
    }

    @AfterAll
    void close() {
        instance.close();
    }

    /** Records the names that a query uses: its parameters and the options of its facets, parsers, and functions. */
    private String read(SolrCore core, String query) {
        SolrParams given = SolrRequestParsers.parseQueryString(ParameterTextEncoder.escaped(query));
        given.getParameterNamesIterator().forEachRemaining(name -> {
            Matcher ofAField = OF_A_FIELD.matcher(name);
            asked.add("parameter " + (ofAField.matches() ? ofAField.group(1) : name));
        });
        try (SolrQueryRequest request = new LocalSolrQueryRequest(core, given)) {
            SolrPluginUtils.setDefaults(core.getRequestHandler("/select"), request, null, null, null);
            Object facets = request.getJSON() == null ? null : request.getJSON().get("facet");
            JsonFacetWalker.withOptions(facets, Map.of(), (option, value) -> asked.add("parameter " + FACET + option));
            found(PARSER, query).forEach(name -> asked.add("parser " + name));
            if (query.contains("json={query:{")) {
                found(Pattern.compile("\\{(\\w+):"), query).forEach(name -> asked.add("parser " + name));
            }
            found(FUNCTION, query).forEach(name -> asked.add("function " + name));
            found(FUNCTION, String.valueOf(facets)).forEach(name -> asked.add("function agg_" + name));
        }
        return query;
    }

    private static Stream<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1));
    }

    private static List<Name> names(String verdict) {
        return PackedFilesCodec.readResource(SolrLanguage.class, "language.txt")
                .lines()
                .map(line -> line.split(" \\| "))
                .filter(cells -> cells[0].equals(verdict))
                .flatMap(cells -> Stream.of(cells[2].split(" "))
                        .map(name -> new Name(cells[1], name.replaceAll("[*+]", ""), cells[3])))
                .toList();
    }

    @Test
    void whatIsSupportedIsComparedWithPlainSolr() {
        List<Name> all = names("yes");
        assertThat(all).hasSizeGreaterThan(150);
        Set<String> missing = new TreeSet<>();
        all.forEach(one -> missing.add(one.toString()));
        missing.removeAll(asked);
        LOG.warn("{} of {} supported names are asked for", all.size() - missing.size(), all.size());
        assertThat(missing).as("in no query of feature-queries.txt").isEmpty();
    }

    @Test
    void whatIsRefusedIsRefusedByItsNameWhereverItStands() {
        List<Name> all = names("no");
        assertThat(all).hasSizeGreaterThan(100);
        for (Name one : all) {
            for (String query : refusals(one)) {
                String told = one.kind() + " \"" + one.name() + "\" is not supported: " + one.remark();
                assertThatThrownBy(() -> table.query(query))
                        .as(query)
                        .isInstanceOf(UniserveException.class)
                        .hasMessageContaining(told)
                        .extracting(e -> ((UniserveException) e).code())
                        .isEqualTo(ErrorCode.UNSUPPORTED);
            }
        }
        LOG.warn("{} names are refused, all that the table refuses", all.size());
    }

    /** Returns queries that use a name and are valid otherwise. */
    private static List<String> refusals(Name one) {
        String name = one.name();
        if (one.kind().equals("parser")) {
            return List.of(
                    "q=*:*&fq={!" + name + " f=brand_s}x",
                    "q=*:*&fq={!type=" + name + " f=brand_s}x",
                    "q={!query defType=" + name + " v='x'}",
                    "q={!bool must=$m}&m={!" + name + " f=brand_s}x",
                    "q=_query_:\"{!" + name + " f=brand_s}x\"",
                    "q=*:*&rows=0&json.facet={a:{type:query,q:'{!" + name + " f=brand_s}x'}}");
        }
        if (one.kind().equals("function")) {
            String call = name + "(stock_i)";
            return List.of(
                    "q=*:*&sort=" + call + " asc",
                    "q=*:*&fl=id,a:" + call,
                    "q={!func}" + call,
                    "q=*:*&fq={!frange l=0}sum(1," + call + ")",
                    "q=a&defType=edismax&qf=text&bf=" + call,
                    "q=a&defType=edismax&qf=text&boost=" + call,
                    "q=*:*&stats=true&stats.field={!func}" + call,
                    "q=*:*&rows=0&json.facet={a:'" + call + "'}",
                    "q=*:*&rows=0&json.facet={a:{type:terms,field:brand_s,facet:{b:'sum(" + call + ")'}}}");
        }
        if (!name.startsWith(FACET)) {
            return List.of("q=*:*&" + name + "=true", "json={query:'*:*',params:{'" + name + "':'true'}}");
        }
        String facets = facets(name.substring(FACET.length()));
        return List.of("q=*:*&rows=0&json.facet=" + facets, "json={query:'*:*',facet:" + facets + "}");
    }

    /** Returns facets with an option that {@link JsonFacetWalker} reports by this path. */
    private static String facets(String path) {
        String[] parts = path.split("/");
        String last = parts[parts.length - 1];
        String terms = "{b:{type:terms,field:brand_s,";
        return switch (path.substring(0, path.length() - last.length())) {
            case "named/" -> "{" + last + ":{type:terms,field:brand_s}}";
            case "domain/" -> terms + "domain:{" + last + ":x}}}";
            case "terms/facet/domain/" ->
                terms + "facet:{e:{type:query,q:x,facet:{c:{type:terms,field:even_b,domain:{" + last + ":x}}}}}}}";
            case "range/ranges/" -> "{b:{type:range,field:stock_i,ranges:[{from:0,to:5},{from:0,to:5}]}}";
            case "terms/numBuckets/" -> terms + "numBuckets:true," + last + ":b}}";
            case "terms/" -> terms + last + ":x}}";
            default -> throw new AssertionError("the table refuses " + path + ": say here what it looks like");
        };
    }

    @Test
    void everyParserThatSolrHasIsInTheTable() {
        Set<String> unjudged = new TreeSet<>(QParserPlugin.standardPlugins.keySet());
        assertThat(unjudged).hasSizeGreaterThan(40);
        for (String verdict : List.of("yes", "no")) {
            names(verdict).stream()
                    .filter(one -> one.kind().equals("parser"))
                    .forEach(one -> unjudged.remove(one.name()));
        }
        assertThat(unjudged).isEmpty();
    }

    @Test
    void everyFunctionThatSolrHasIsRefusedOrComparedWithPlainSolr() {
        Set<String> missing = new TreeSet<>();
        ValueSourceParser.standardValueSourceParsers.keySet().forEach(name -> missing.add("function " + name));
        assertThat(missing).hasSizeGreaterThan(100);
        names("no").forEach(one -> missing.remove(one.toString()));
        missing.removeAll(asked);
        assertThat(missing).as("in no query of feature-queries.txt").isEmpty();
    }
}
