package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.solr.SearchQueryGenerator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Texts that break orders, separators and marks, as ids, groups, terms and sort values: beyond U+FFFF and just below, combining marks,
 * empty texts, control characters, names and signs of Solr's own messages.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OddTextParityTest {
    private static final int DOCUMENTS = 220;
    private static final int QUERIES_PER_SEED = 60;
    private static final int PAGES = 12;
    private static final List<String> TEXTS = List.of(
            "",
            "\u0001",
            "\u0001\u0001",
            "\t",
            " ",
            "x\ny",
            " lead",
            "trail ",
            "a",
            "Z",
            "e\u0301",
            "\u00e9",
            "\u0fff",
            "\ud7ff",
            "\ue000",
            "\ufb01",
            "\uff5e",
            "\ufffd",
            "\uffff",
            "\ud800\udc00",
            "\ud835\udc9c",
            "\ud83d\ude00",
            "\ud83d\ude00\u0301",
            "\udbff\udfff",
            "a,b",
            "a\\,b",
            "\\",
            "\"q\"",
            "null",
            "*",
            "{!term f=id}x",
            "totalHits",
            "totalHitCount",
            "totalGroupCount",
            "val",
            "a!b",
            "/w/1",
            "^1",
            "~",
            "[* TO *]",
            "missing",
            "count");
    private static final List<String> FIELDS = List.of("one_s", "group_s", "many_ss");

    private final List<Document> documents = documents();
    private final SolrEngine engine = new SolrEngine();
    private EngineInstance instance;
    private PlainCore plain;
    private LocalTable split;
    private LocalTable whole;

    /** Some ids are odd texts themselves; some documents have no value. */
    private static List<Document> documents() {
        Random random = new Random(11);
        Set<String> ids = new HashSet<>(TEXTS);
        ids.remove(""); // a key is never empty
        while (ids.size() < DOCUMENTS) {
            ids.add(any(random) + any(random) + ids.size());
        }
        List<Document> documents = new ArrayList<>();
        for (String id : ids.stream().sorted().toList()) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("id", id);
            if (random.nextInt(8) > 0) {
                fields.put("one_s", any(random));
            }
            if (random.nextInt(8) > 0) {
                fields.put("group_s", TEXTS.get(random.nextInt(12) + random.nextInt(12)));
            }
            fields.put(
                    "many_ss",
                    Stream.generate(() -> any(random)).limit(3).distinct().toList());
            fields.put("number_i", (long) random.nextInt(50));
            fields.put("at_v2", List.of(random.nextDouble() + 0.01, random.nextDouble() + 0.01));
            documents.add(new Document("id", fields));
        }
        return PlainCore.byId(documents);
    }

    private static String any(Random random) {
        return TEXTS.get(random.nextInt(TEXTS.size()));
    }

    @BeforeAll
    void load(@TempDir Path directory) throws Exception {
        instance = LocalTable.open(engine, directory);
        split = new LocalTable(engine, instance, directory, 4);
        whole = new LocalTable(engine, instance, directory, 1);
        split.add(documents);
        whole.add(documents);
        plain = PlainCore.of(directory, documents);
    }

    @AfterAll
    void close() {
        plain.close();
        instance.close();
    }

    private void same(String query) {
        String page = query;
        for (int i = 0; i < PAGES; i++) {
            String expected = plain.query(page);
            SingleCore.assertSame(page, expected, split.query(page));
            SingleCore.assertSame(page, expected, whole.query(0, page));
            Object next = SingleCore.map(SingleCore.parse(expected)).get("nextCursorMark");
            if (next == null) {
                return;
            }
            page = query.replace("cursorMark=*", "cursorMark=" + SearchQueryGenerator.escape(next.toString()));
        }
    }

    static Stream<String> queries() {
        List<String> queries = new ArrayList<>();
        for (String field : FIELDS) {
            String facet = "q=*:*&rows=0&json.facet={t:{type:terms,field:" + field;
            for (String order : List.of("index asc", "index desc", "count desc", "count asc")) {
                queries.add(facet + ",limit:-1,missing:true,numBuckets:true,sort:\"" + order + "\"}}");
                queries.add(facet + ",limit:5,offset:3,sort:\"" + order + "\"}}");
            }
            for (String order : List.of("index", "count")) {
                String sort = "&rows=0&facet=true&facet.sort=" + order;
                queries.add("q=*:*&facet.limit=-1&facet.missing=true&facet.field=" + field + sort);
                queries.add("q=*:*&facet.limit=7&facet.offset=2&facet.field=" + field + sort);
                queries.add("q=*:*&facet.limit=4&facet.pivot=" + field + ",group_s" + sort);
                queries.add("q=*:*&facet.limit=-1&facet.missing=true&facet.pivot=group_s," + field + sort);
            }
            queries.add("q=*:*&rows=0&json.facet={lo:\"min(" + field + ")\",hi:\"max(" + field + ")\"}");
            queries.add(
                    "q=*:*&rows=0&stats=true&stats.field={!min=true max=true countDistinct=true distinctValues=true}"
                            + field);
        }
        for (String order : List.of("lo asc", "lo desc", "hi asc", "hi desc")) {
            queries.add("q=one_s:*&rows=0&json.facet={t:{type:terms,field:group_s,limit:5,sort:\"" + order
                    + "\",facet:{lo:\"min(one_s)\",hi:\"max(one_s)\"}}}");
        }
        for (String group : List.of("group_s", "one_s")) {
            String groups = "q=*:*&group=true&group.field=" + group + "&fl=id," + group;
            queries.add(groups + "&rows=60&sort=" + group + " asc&group.ngroups=true&group.limit=2");
            queries.add(groups + "&rows=60&sort=id desc&group.limit=3&group.sort=one_s desc&group.offset=1");
            queries.add(groups + "&rows=9&start=2&sort=number_i asc,id asc&group.sort=number_i desc");
            queries.add(groups + "&rows=60&sort=number_i desc&fq=" + group + ":"
                    + SearchQueryGenerator.escape("\"\u0001\""));
        }
        for (String sort :
                List.of("id asc", "id desc", "one_s asc,id desc", "one_s desc", "many_ss asc", "many_ss desc")) {
            queries.add(
                    "q=*:*&rows=30&fl=id,one_s&cursorMark=*&sort=" + (sort.contains("id") ? sort : sort + ",id asc"));
            queries.add("q=*:*&rows=25&start=40&fl=id,one_s&sort=" + sort);
        }
        String ids = Stream.of("\t", "\u0001", " lead", "\ud83d\ude00", "a\\,b", "\\\\", "e\u0301", "a!b", "/w/1")
                .map(SearchQueryGenerator::escape)
                .collect(Collectors.joining(","));
        queries.add("qt=/get&fl=id,one_s&ids=" + ids);
        return queries.stream();
    }

    @ParameterizedTest
    @MethodSource("queries")
    void writtenQueriesGiveTheAnswersOfOneCore(String query) {
        same(query);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void generatedQueriesGiveTheAnswersOfOneCore(long seed) {
        Random random = new Random(seed);
        SoftAssertions all = new SoftAssertions();
        for (int i = 0; i < QUERIES_PER_SEED; i++) {
            String query = generated(random);
            all.assertThatCode(() -> same(query)).as("seed %d", seed).doesNotThrowAnyException();
        }
        all.assertAll();
    }

    private static String generated(Random random) {
        String field = FIELDS.get(random.nextInt(FIELDS.size()));
        String other = FIELDS.get(random.nextInt(2));
        String term = SearchQueryGenerator.escape(any(random));
        String found = random.nextBoolean() ? "*:*" : "{!term f=many_ss}" + term;
        int limit = 1 + random.nextInt(12);
        int skip = random.nextInt(3);
        String order = random.nextBoolean() ? "index" : "count";
        String up = random.nextBoolean() ? "asc" : "desc";
        return "q=" + found
                + switch (random.nextInt(7)) {
                    case 0 ->
                        "&rows=0&facet=true&facet.field=" + field + "&facet.limit=" + limit + "&facet.offset=" + skip
                                + "&facet.sort=" + order + "&facet.mincount=" + random.nextInt(3)
                                + (random.nextBoolean() ? "&facet.prefix=" + term : "");
                    case 1 ->
                        "&rows=0&facet=true&facet.pivot=" + field + "," + other + "&facet.limit=" + limit
                                + "&facet.sort=" + order;
                    case 2 ->
                        "&rows=0&json.facet={t:{type:terms,field:" + field + ",limit:" + limit + ",offset:" + skip
                                + ",sort:\"" + order + " " + up + "\",facet:{u:{type:terms,field:" + other
                                + ",limit:3,sort:\""
                                + (order.equals("index") ? "count" : "index") + " asc\"},n:\"unique(one_s)\"}}}";
                    case 3 ->
                        "&rows=0&json.facet={t:{type:terms,field:" + field + ",limit:" + limit + ",sort:\"m " + up
                                + "\",facet:{m:\"" + (random.nextBoolean() ? "min" : "max") + "(id)\"}}}";
                    case 4 ->
                        "&fl=id&group=true&group.field=" + other + "&rows=" + limit + "&group.limit=" + (1 + skip)
                                + "&sort=" + other + " " + up + "&group.sort=id " + up + "&group.ngroups=true";
                    case 5 ->
                        "&fl=id," + other + "&rows=" + limit + "&start=" + 5 * skip + "&sort=" + other + " " + up
                                + ",id asc";
                    default -> "&fl=id&rows=" + (20 + limit) + "&cursorMark=*&sort=" + field + " " + up + ",id " + up;
                };
    }

    /** The nearest documents are requested by their ids, which may be any text. */
    @ParameterizedTest
    @ValueSource(ints = {5, 60, 220})
    void theNearestDocumentsMayHaveAnyId(int count) {
        same("q={!knn f=at_v2 topK=" + count + "}[0.3, 0.7]&rows=220&fl=id&sort=id asc");
    }

    @Test
    void loneSurrogatesOfEscapesInJsonAreRefused() {
        for (String query : List.of(
                "q=*:*&json.facet={t:{type:terms,field:one_s,prefix:\"\\ud800\"}}",
                "json={\"query\":\"one_s:\\udc00\"}")) {
            assertThatThrownBy(() -> split.query(query))
                    .isInstanceOf(UniserveException.class)
                    .hasMessageContaining("lone surrogate");
            assertThatThrownBy(() -> whole.query(0, query))
                    .isInstanceOf(UniserveException.class)
                    .hasMessageContaining("lone surrogate");
        }
        assertThatCode(() -> split.query("json={\"query\":\"one_s:\\ud83d\\ude00\"}"))
                .doesNotThrowAnyException();
    }

    /** Same as one core, for every number of actors: with few terms per actor a different order would be visible. */
    @Test
    void theFirstTermsAreThoseOfOneCoreOfEachActorsFew() {
        IntStream.rangeClosed(1, 12).forEach(limit -> {
            same("q=*:*&rows=0&facet=true&facet.pivot=one_s,group_s&facet.sort=index&facet.limit=" + limit);
            same("q=*:*&rows=0&json.facet={t:{type:terms,field:one_s,limit:" + limit + "}}");
        });
    }
}
