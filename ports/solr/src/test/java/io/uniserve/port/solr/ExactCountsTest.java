package io.uniserve.port.solr;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers of distinct values and buckets equal those of one core, with thousands of values that several actors share. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExactCountsTest {
    private static final int ACTORS = 5;
    private static final int DOCUMENTS = 6_000;
    private static final int KEPT = 131_072;
    private static final int VALUES = 1_024;

    private final SolrEngine engine = new SolrEngine();
    private Path home;
    private EngineInstance instance;
    private PlainCore plain;
    private LocalTable split;
    private LocalTable whole;

    @BeforeAll
    void load(@TempDir Path directory) throws Exception {
        home = directory;
        instance = LocalTable.open(engine, directory);
        split = new LocalTable(engine, instance, directory, ACTORS);
        whole = new LocalTable(engine, instance, directory, 1);
        Random random = new Random(11);
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS; i++) {
            documents.add(document(random, i));
        }
        split.add(documents);
        whole.add(documents);
        plain = PlainCore.of(directory, documents);
    }

    @AfterAll
    void close() {
        plain.close();
        instance.close();
    }

    private static Document document(Random random, int i) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("id", "d%04d".formatted(i));
        fields.put("kind_s", "kind" + random.nextInt(1 + random.nextInt(8)));
        fields.put("tags_ss", List.of("tag" + random.nextInt(4_000), "tag" + random.nextInt(900)));
        fields.put("size_l", (long) random.nextInt(3_000) - 1_500);
        fields.put("nums_is", List.of((long) random.nextInt(5_000), (long) random.nextInt(50)));
        fields.put("price_d", random.nextInt(5_000) / 8.0);
        fields.put("even_b", i % 2 == 0);
        fields.put("at_dt", "2003-01-01T00:%02d:%02d.%dZ".formatted(random.nextInt(60), random.nextInt(60), i % 3));
        if (i % 4 != 0) {
            fields.put("name_s", "name" + random.nextInt(3_500));
        }
        return new Document("id", fields);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{a:'unique(name_s)',b:'unique(tags_ss)',c:'unique(size_l)',d:'unique(nums_is)',e:'unique(price_d)'}",
                "{a:'agg(unique(at_dt))',b:'agg_unique(id)',c:'unique(kind_s)',d:'unique(even_b)',e:'unique(none_s)'}",
                "{k:{type:terms,field:kind_s,limit:3,sort:'u desc',allBuckets:true,facet:{u:'unique(name_s)',v:'unique(size_l)'}}}",
                "{k:{type:terms,field:kind_s,sort:'u asc',facet:{u:'unique(nums_is)',v:'unique(tags_ss)'}}}",
                "{q:{type:query,q:'even_b:true',facet:{u:'unique(name_s)'}},e:{type:query,q:'-*:*',facet:{u:'unique(size_l)'}}}",
                "{r:{type:range,field:size_l,start:-1500,end:1500,gap:1000,facet:{u:'unique(tags_ss)',v:'unique(price_d)'}}}",
                "{k:{type:terms,field:name_s,limit:3,numBuckets:true,missing:true},l:{terms:{field:tags_ss,numBuckets:true}}}",
                "{k:{type:terms,field:size_l,limit:0,numBuckets:true},l:{type:terms,field:nums_is,limit:-1,numBuckets:true}}",
                "{k:{type:terms,field:price_d,limit:2,offset:5,numBuckets:true},l:{type:terms,field:at_dt,numBuckets:true}}",
                "{k:{type:terms,field:name_s,sort:index,numBuckets:true,mincount:3,method:dv},l:{terms:{field:even_b,numBuckets:true}}}",
                "{k:{type:terms,field:kind_s,limit:4,missing:true,facet:{n:{type:terms,field:name_s,limit:2,numBuckets:true,allBuckets:true}}}}",
                "{r:{type:range,field:size_l,start:-1500,end:1500,gap:1000,other:all,facet:{n:{type:terms,field:price_d,limit:1,numBuckets:true}}}}",
                "{q:{type:query,q:'even_b:true',facet:{n:{type:terms,field:id,limit:1,numBuckets:true,domain:{filter:'size_l:[0 TO 1500]'}}}}}",
                "{e:{type:query,q:'-*:*',facet:{n:{type:terms,field:name_s,numBuckets:true},m:{type:terms,field:size_l,numBuckets:true}}}}",
                "{k:{type:terms,field:name_s,limit:1,numBuckets:true,facet:{k:{type:terms,field:kind_s,limit:1,numBuckets:true}}}}",
            })
    void areThoseOfOneCore(String facets) {
        for (String found : List.of("*:*", "kind_s:kind1", "tags_ss:[tag1 TO tag3]")) {
            String query = "q=" + found + "&rows=0&json.facet=" + facets;
            String expected = plain.query(query);
            SingleCore.assertSame(query, expected, split.query(query));
            SingleCore.assertSame(query, expected, whole.query(0, query));
        }
    }

    /** Each number twice, in documents of different actors or of the same. */
    @Test
    void valuesAreExactUpToALimit() {
        LocalTable several = new LocalTable(engine, instance, home, ACTORS);
        LocalTable one = new LocalTable(engine, instance, home, 1);
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < 2 * KEPT / VALUES; i++) {
            for (int twice = 0; twice < 2; twice++) {
                List<Long> values = LongStream.range((long) i * VALUES, (i + 1L) * VALUES)
                        .boxed()
                        .toList();
                documents.add(new Document("id", Map.of("id", i + "-" + twice, "at_i", (long) i, "n_ls", values)));
            }
        }
        several.add(documents);
        one.add(documents);
        String unique = "&rows=0&json.facet={u:'unique(n_ls)'}";
        assertThat(unique(several.query("q=at_i:[0 TO " + (KEPT / VALUES - 1) + "]" + unique)))
                .isEqualTo(KEPT);
        assertThat(unique(several.query("q=*:*" + unique))).isCloseTo(2L * KEPT, Percentage.withPercentage(1));
        assertThat(unique(one.query(0, "q=*:*" + unique))).isEqualTo(2 * KEPT);
    }

    private static long unique(String answer) {
        Object facets = requireNonNull(SingleCore.map(SingleCore.parse(answer)).get("facets"));
        return (Long) requireNonNull(SingleCore.map(facets).get("u"));
    }
}
