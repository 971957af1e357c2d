package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries that a table of four actors cannot answer like a table of one actor are refused by name; all others have the same answer. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NothingIgnoredTest {
    private static final String NEAREST = "q={!knn f=at_v2 topK=9}[0.3,0.9]&fl=id&rows=20&";

    @TempDir
    private static Path directory;

    private final SolrEngine engine = new SolrEngine();
    private EngineInstance instance;
    private LocalTable one;
    private LocalTable four;

    @BeforeAll
    void fill() {
        instance = LocalTable.open(engine, directory);
        one = new LocalTable(engine, instance, directory, 1);
        four = new LocalTable(engine, instance, directory, 4);
        List<Document> documents =
                IntStream.range(0, 200).mapToObj(NothingIgnoredTest::document).toList();
        one.add(documents);
        four.add(documents);
    }

    private static Document document(int i) {
        return new Document(
                "id",
                Map.of(
                        "id",
                        "d" + i,
                        "brand_s",
                        "brand" + i * 7 % 8,
                        "even_b",
                        i % 2 == 0,
                        "stock_i",
                        i * 13 % 50,
                        "text",
                        i % 3 == 0 ? "river law" : "law",
                        "at_v2",
                        List.of(Math.cos(i), Math.sin(i))));
    }

    @AfterAll
    void close() {
        instance.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                NEAREST + "fq={!terms f=brand_s v=$w}&w=brand1,brand2",
                NEAREST + "fq={!term f=even_b v=$w}&w=true",
                NEAREST + "fq={!terms f=brand_s v=$my.w-1}&my.w-1=brand1,brand2&fq=${r:x}&r=text:law",
                NEAREST + "fq=river&df=text",
                NEAREST + "start=2&facet=true&facet.field=brand_s&group.limit=3",
                "q={!knn f=at_v2 topK=9 preFilter=$pf}[0.3,0.9]&fl=id&rows=20&pf=even_b:true",
                "q=*:*&rows=0&facet=true&facet.field={!facet.prefix=brand1 key=k}brand_s",
                "q=*:*&rows=0&facet=true&facet.field=brand_s&f.brand_s.facet.limit=2",
                "q=*:*&rows=0&facet=true&facet.field=brand_s&json.nl=map",
                "q=*:*&rows=0&json.facet={b:{type:terms,field:brand_s,domain:{filter:\"even_b:true\"}}}",
                "q=*:*&rows=0&json.facet={graph:{type:terms,field:brand_s}}",
                "q=*:*&rows=0&json.facet={terms:'max(stock_i)',field:{type:query,q:law,facet:{terms:'min(stock_i)'}}}",
                "q=*:*&rows=0&json.facet={b:{type:terms,field:brand_s,limit:2,refine:false,overrequest:0}}",
                "q=*:*&rows=0&json.facet={b:{field:{f:brand_s,limit:2,sort:'x desc',facet:{x:'sum(stock_i)'}}}}",
                "q=*:*&rows=0&json.facet={b:{type:func,func:'sum(product(stock_i,$by))',by:3}}",
                "q={!term f=id v=$id}&id=d3",
                "q=*:*&rows=0&facet=true&df=text&facet.query={!key=k}law&facet.field={!key=k}brand_s&facet.query={!key=j}text:\"key=k\"",
                "q=*:*&rows=0&facet=true&facet.mincount=1&facet.field=brand_s&facet.range={!key=a}stock_i&facet.range.start=0&facet.range.end=9&facet.range.gap=1",
                "q=*:*&rows=0&facet=true&facet.mincount=0&facet.field=stock_i&facet.range={!key=a}stock_i&facet.range.start=-9&facet.range.end=9&facet.range.gap=1",
                "q=*:*&fl=id,[value  v=']']&sort=id asc",
                "q=*:*&fq={!frange l=law u=rx}text&fl=id&rows=50&sort=id asc",
                "q=*:*&sort=text asc&fl=id&rows=50",
                "q=*:*&rows=0&facet=true&facet.interval=text&facet.interval.set=[a,m]",
                "q=*:*&rows=0&json.facet={b:{type:range,field:stock_i,ranges:[{from:0,to:5},{from:0,to:5,inclusive_to:true},{range:'(0,5)'},{from:5}]}}",
                "json={query:'{!knn f=at_v2 topK=9}[0.3,0.9]',fields:id,limit:20}",
                "q=*:*&rows=0&json.facet={b:{terms:{field:brand_s,domain:{filter:{param:ff}}}}}&ff=even_b:true",
                "q=*:*&sort=strdist(\"d1\",id ,edit) asc&fl=id&rows=50",
                "q=*:*&rows=0&facet=true&df=text&facet.query=law&facet.query=river&facet.query={!key=k}law&facet.query={!key=kk}river",
                "q=*:*&rows=0&facet=true&facet.mincount=1&facet.field=brand_s&facet.query=stock_i:77&facet.query=river",
                "q=*:*&group=true&group.query=river&group.ngroups=true&sort=id asc&df=text&fl=id",
                "q=*:*&rows=0&stats=true&stats.field={!func key=f min=true}sum(stock_i,3)",
                "qt=/get&ids=d1,d2&fl=id&fq=even_b:true",
                "q={!qf=text edismax}river law&fl=id&sort=id asc",
                "q=law&df=text&rows=2&fl=id&facet=on&facet.field=brand_s&hl=yes&hl.fl=text&stats=on&stats.field=stock_i&indent=off&sow=no&sort=id asc",
                "q=law&df=text&group=false&group.query=river&hl=true&hl.fl=text&fl=id&sort=id asc",
                NEAREST + "fq={!tag=t}even_b:true&json.facet={b:{terms:{field:brand_s,domain:{excludeTags:t}}}}",
                "q=law&df=text&rows=2&group=on&group.field=brand_s&group.ngroups=yes&fl=id&omitHeader=on&sort=id asc",
                "q=*:*&fq={!cache=false terms f=brand_s}brand1,join&fl=id&sort=id asc",
                "q={!edismax qf=text v='join the river'}&fl=id&sort=id asc",
                "q=*:*&sort={!func}stock_i desc,id asc&fl=id,x:{!func v='sum(stock_i,2)'}&distrib.statsCache=true",
                "q=*:*&rows=0&stats=true&stats.field={!key='a b' min=true}stock_i&stats.field={!func key=f}sum(stock_i,1)&distrib.statsCache=true",
            })
    void theSameAsOneActor(String query) {
        assertThat(four.query(query)).isEqualTo(one.query(query));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=*:*&facet=true&facet.pivot={!key=p facet.limit=1}brand_s,even_b | f.FIELD.facet.limit",
                "q=*:*&facet=true&facet.pivot={!facet.pivot.mincount=40}brand_s,even_b | f.FIELD.facet.limit",
                "q=*:*&facet=true&facet.field={!facet.limit=2}brand_s | f.FIELD.facet.limit",
                "q=*:*&facet=true&facet.field={!f.brand_s.facet.sort=index}brand_s | f.FIELD.facet.limit",
                NEAREST + "fq={!frange l=0 u=20 cache=false cost=200}stock_i | preFilter",
                "q={!knn f=at_v2 topK=9 includeTags=a}[0.3,0.9]&fq={!tag=a}even_b:true | preFilter",
                "q={!knn f=at_v2 topK=9 excludeTags=a}[0.3,0.9]&fq={!tag=a}even_b:true | preFilter",
                NEAREST + "fq={!collapse field=id} | collapse",
                "q=*:*&fq={!collapse field=brand_s min=stock_i} | collapse",
                "q=*:*&fq={!collapse field=id sort='_docid_ asc'} | collapse",
                "q=*:*&fq={!collapse field=id hint=top_fc size=3} | collapse",
                "q=*:*&fq={!collapse field=id hint=block} | collapse",
                "q=*:*&fq={!collapse field=id min=stock_i hint='block'} | collapse",
                "q=*:*&fq={!collapse field=id min=ord(brand_s)} | \"ord\"",
                "q=*:*&stats=true&stats.field={!minimum=true}stock_i | minimum",
                "q=*:*&stats=true&stats.field={!min=true key='a b' maks=true}stock_i | maks",
                "q=*:*&facet=true&facet.field={!key=k limit=2}brand_s | limit",
                "q=*:*&facet=true&facet.field={!terms='brand3,brand1' key=t}brand_s | parameter terms",
                "q=*:*&facet=true&facet.field={!ex='a,b' threads=2 key=k}brand_s | threads",
                "q=*:*&facet=true&facet.range={!key=k gap=2}stock_i&facet.range.start=0&facet.range.end=9&facet.range.gap=1 | gap",
                "q=*:*&facet=true&facet.range={!facet.mincount=2}stock_i&facet.range.start=0&facet.range.end=9&facet.range.gap=1 | facet.mincount",
                "q=*:*&facet=true&facet.range={!ex=k}stock_i&f.stock_i.facet.mincount=3&facet.range.start=0&facet.range.end=9&facet.range.gap=1 | mincount",
                "q=*:*&facet=true&facet.mincount=2&facet.field={!key=k}stock_i&facet.range={!ex=a}stock_i&facet.range.start=0&facet.range.end=9&facet.range.gap=1 | field \"stock_i\"",
                "q=*:*&facet=true&facet.range.start=0&facet.range.end=9&facet.range.gap=1&facet.mincount=1&facet.field=stock_i&facet.range={!key=a}stock_i&facet.range={!key=b}year_i | facet.field of the same field \"stock_i\"",
                "q=*:*&facet=true&facet.range.start=0&facet.range.end=9&facet.range.gap=1&facet.mincount=01&facet.field=stock_i&facet.range={!key=a v=stock_i} | facet.field of the same field \"stock_i\"",
                "q=*:*&facet=true&facet.range.start=0&facet.range.end=9&facet.range.gap=1&facet.mincount=1&facet.field={!key=k v=stock_i}&facet.range={!key=a}stock_i | facet.field of the same field \"stock_i\"",
                "q=*:*&facet=true&facet.range.start=0&facet.range.end=9&facet.range.gap=1&facet.mincount=2&facet.field=my-price_i&facet.range={!key=a}my-price_i | facet.field of the same field \"my-price_i\"",
                "q=*:*&facet=true&facet.pivot={!key=p}brand_s,even_b | facet.pivot with key",
                "q=*:*&facet=true&facet.limit=-1&facet.pivot={!key=p}brand_s,even_b&facet.pivot.mincount=2 | facet.pivot with key",
                "q=*:*&facet=true&facet.limit=-1&facet.pivot={!key=p}brand_s,even_b&f.brand_s.facet.limit=2 | facet.pivot with key",
                "q=*:*&facet=true&facet.pivot=brand_s,even_b&facet.missing=true&facet.pivot.mincount=2 | facet.missing",
                "q=*:*&facet=true&facet.pivot=brand_s,even_b&f.even_b.facet.missing=true&f.brand_s.facet.offset=1 | facet.missing",
                "q=*:*&facet=true&facet.pivot=brand_s,even_b&facet.missing=true&facet.limit=0 | facet.missing",
                "q=*:*&facet=true&facet.pivot=brand_s,stock_i&f.stock_i.facet.missing=true&f.brand_s.facet.prefix=b | facet.prefix",
                "q=*:*&facet=true&facet.pivot={!ex=a facet.matches=b.*}brand_s,even_b&facet.missing=true | facet.matches",
                "q=*:*&facet=true&facet.pivot=brand_s,even_b&f.brand_s.facet.pivot.mincount=2 | f.brand_s.facet.pivot.mincount",
                "q=*:*&facet=true&facet.pivot={!range=r}brand_s&facet.range={!tag=r}stock_i&facet.range.start=0&facet.range.end=9&facet.range.gap=1&facet.mincount=1 | facet.mincount",
                "q=*:*&group=true&group.field=brand_s&rows=0&start=7 | start",
                "q=*:*&group=true&group.field=brand_s&fl=id,s:score | another name for score",
                "q=*:*&group=true&group.query=even_b:true&group.query=even_b:true | group.query \"even_b:true\" is given twice",
                "q=*:*&sort=stock_i asc,field(tags_ss,max) desc | field",
                "q=*:*&facet=true&facet.pivot=brand_s,even_b&facet.limit=-1&facet.offset=2 | give a limit",
                "q=*:*&facet=true&facet.pivot=brand_s,even_b&f.brand_s.facet.limit=-1&f.brand_s.facet.offset=1 | give a limit",
                "q=*:*&facet=true&facet.pivot=brand_s,even_b&facet.pivot.mincount=0 | facet.pivot.mincount=0",
                "q=*:*&facet=true&facet.query={!key=k}law&facet.query=river&facet.query={!key=k ex=a}river | facet.query \"k\" is given twice",
                "q=*:*&facet=true&facet.field={!key=k}brand_s&facet.field={!ex=a key=k}even_b | facet.field \"k\" is given twice",
                "q=*:*&stats=true&stats.field={!key=k}stock_i&stats.field={!key=k min=true}stock_i | stats.field \"k\" is given twice",
                "q=*:*&facet=true&facet.query=river&facet.query=river&df=text | facet.query \"river\" is given twice",
                "q=*:*&facet=true&facet.query=river&facet.query={!key=river}law&df=text | facet.query \"river\" is given twice",
                "q=*:*&facet=true&facet.query={!key=k}law&facet.query={!key='k'}river&df=text | facet.query \"k\" is given twice",
                "q=*:*&facet=true&facet.query={!key=k}text:\"key=1\"&facet.query={!key=$w}law&w=k&df=text | facet.query \"k\" is given twice",
                "q=*:*&facet=true&facet.field=brand_s&facet.field={!ex=a v=brand_s} | facet.field \"brand_s\" is given twice",
            })
    void refusedByName(String line) {
        refused(line);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=*:*&facet=true&facet.field=brand_s&facet.field={!key=brand_s}even_b | facet.field \"brand_s\" is given twice",
                "q=*:*&facet=true&facet.range.start=0&facet.range.end=9&facet.range.gap=1&facet.range=stock_i&facet.range=stock_i | facet.range \"stock_i\" is given twice",
                "q=*:*&facet=true&facet.interval=stock_i&facet.interval=stock_i&facet.interval.set=[0,3] | facet.interval \"stock_i\" is given twice",
                "q=*:*&facet=true&facet.pivot=brand_s,even_b&facet.pivot={!ex=a}brand_s,even_b | facet.pivot \"brand_s,even_b\" is given twice",
                "q=*:*&stats=true&stats.field=stock_i&stats.field={!min=true}stock_i | stats.field \"stock_i\" is given twice",
                "q=*:*&group=true&group.field=brand_s&group.field=brand_s | group.field \"brand_s\" is given twice",
                "q=law&df=text&group=true&group.field=cat_s&distrib.statsCache=true | statsCache",
                "q=text:lwa~1&distrib.statsCache=true | statsCache",
                "q=text:r\u00fc~&distrib.statsCache=true | statsCache",
                "q={!fuzzy f=text}lwa&distrib.statsCache=true | statsCache",
                "q={!boost b=$bb}*:*&bb={!lucene df=text}law&distrib.statsCache=true | statsCache",
                "q=law&df=text&defType=edismax&boost=sum(1,$bb)&bb=river&distrib.statsCache=true | statsCache",
                "q=*:*&group=true&group.field=brand_s&group.query=river&group.sort=stock_i desc&df=text | group.sort",
                "q={!tag='a}b' type=join from=brand_s to=brand_s v='id:d1'} | join",
                "q=*:*&fq={!tag='a}b' type=collapse field=brand_s} | collapse",
                "q={!query defType=join v='x'} | join",
                "q=*:*&facet=true&facet.interval={!set='[0,3]'}stock_i | set",
                "q=*:*&facet=true&facet.pivot={!key=k mincount=2}brand_s,even_b | mincount",
                "q=*:*&fl=id,[foo] | transformers",
                "q=law&df=text&hl=true&hl.method=original&hl.fragmenter=regex | hl.fragmenter",
                "q=*:*&fl=[foo] | transformers",
                "q=*:*&fl=id,x:[values v=3] | transformers",
                "q=*:*&fl=id,[value v=1][docid] | transformers",
                "q=*:*&fl=id,sum(stock_i,1)[explain] | transformers",
                "q=*:*&fl=id,[json][shard] | transformers",
                "q=*:*&fl=id,[ docid] | transformers",
                "q=*:*&fl=id,[\u2003docid] | transformers",
                "q=*:*&fl=id,[value=1 type=docid] | transformers",
                "q=*:*&fl=id,[value = 1 docid] | transformers",
                "q=*:*&fl=id,[value \u2003= 1 docid] | transformers",
                "q=*:*&fl=id,[] | transformers",
                "q=*:*&id=d1 | \"id\"",
                "q=*:*&group=true | group.field",
                "q=*:*&group=true&group.ngroups=true | group.field",
                "q=*:*&ids=d1,d2 | \"ids\"",
                "q=*:*&group=true&group.field=brand_s&group.truncate=true&fq={!term f=even_b v=$group.truncate} | \"group.truncate\"",
                "q=*:*&facet=true&facet.field=brand_s&f.brand_s.facet.exists=true&fq={!term f=even_b v=$f.brand_s.facet.exists} | \"f.brand_s.facet.exists\"",
                "q={!term f=id v=$id}&id=d3&ids=d1,d2 | \"ids\"",
                "q={!terms f=id v=$ids}&ids=d1,d2&id=d3 | \"id\"",
                "qt=/get&id=d1&facet=true&facet.field=brand_s | \"facet\"",
                "qt=/get&ids=d1,d2&rows=1 | \"rows\"",
                "qt=/get&id=d1&ids=d1,d2 | id and ids",
                "q=_query_:\"{\\!join from=brand_s to=brand_s}id:d1\" | \"join\"",
                "q=law&defType=edismax&qf=text&boost=query($qq,0.1)&qq=text:river&distrib.statsCache=true | statsCache",
            })
    void othersRefusedByName(String line) {
        refused(line);
    }

    /** Terms and statistics of one actor, and parsers after other local parameters. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=*:*&fq={!cache=false join from=brand_s to=brand_s v='id:d1'} | \"join\"",
                "q=*:*&fq={!tag=a join from=brand_s to=brand_s}id:d1 | \"join\"",
                "q={!tag='x y' key=\"}\" join from=brand_s to=brand_s v=$jq}&jq=id:d1 | \"join\"",
                "q=*:*&fq={!tag='a\\'b' join from=brand_s to=brand_s}id:d1 | \"join\"",
                "q=*:*&fq={!tag = $t join from=brand_s to=brand_s}id:d1&t=a | \"join\"",
                "q={!bool must='{!tag=z join from=brand_s to=brand_s v=id:d1}'} | \"join\"",
                "q=*:*&fq={!cost=150 collapse field=brand_s} | \"collapse\"",
                "q=*:*&fq={!f=at_v2 topK=3 knn}[0.3,0.9] | \"knn\"",
                "q=*:*&json.facet={u:'agg_uniqueBlock(brand_s)'} | \"agg_uniqueBlock\"",
                "q=law&df=text&json.facet={b:{type:terms,field:brand_s,facet:{r:'relatedness($a,$b)'}}}&a=text:river&b=*:* | \"relatedness\"",
                "q=*:*&fl=id,s:$qq&qq={!lucene}text:law&distrib.statsCache=true | statsCache",
                "q=*:*&fl=id,s:{!lucene v='text:law'}&distrib.statsCache=true | statsCache",
                "q=*:*&fl=id,s:boost($qq,2)&qq=text:law&distrib.statsCache=true | statsCache",
                "q=*:*&sort={!lucene v='text:law'} desc&distrib.statsCache=true | statsCache",
                "q=*:*&sort=sum($qq,1) desc&qq={!lucene}text:law&distrib.statsCache=true | statsCache",
                "q=*:*&stats=true&stats.field={!lucene key=k}text:law&distrib.statsCache=true | statsCache",
                "q=*:*&stats=true&stats.field={!key=k type=lucene}text:law&distrib.statsCache=true | statsCache",
                "q=*:*&json.facet={x:'max($qq)'}&qq={!lucene}text:law&distrib.statsCache=true | statsCache",
                "json={query:'*:*',facet:{x:'max(sum($qq,1))'}}&qq={!lucene}text:law&distrib.statsCache=true | statsCache",
                "q={!surround df=text}3w(riv*,law)&distrib.statsCache=true | surround",
                "q={!complexphrase df=text}\"ri* law\"&distrib.statsCache=true | complexphrase",
                "q={!complexphrase df=text v=$p}&p=\"ri* law\"&distrib.statsCache=true | complexphrase",
                "q=river law&df=text&hl=true&hl.fl=text&hl.method=original&hl.usePhraseHighlighter=false&hl.requireFieldMatch=true | hl.method=unified",
                "q=*:*&group=true&group.func=stock_i | \"group.func\"",
                "q=law&df=text&group=true&group.query=river&hl=on&hl.fl=text | hl=true with group.query",
                "q=law&df=text&group=yes&group.query=river&group.field=brand_s&hl=true&hl.fl=text | hl=true with group.query",
                "q={!knn f=at_v2 topK=9 tag=t}[0.3,0.9]&json.facet={b:{terms:{field:brand_s,domain:{excludeTags:t}}}} | {!knn} with tag",
                "q=law&df=text&group=on&group.field=brand_s&distrib.statsCache=yes | statsCache",
                "q=*:*&facet=on&facet.pivot=brand_s,even_b&facet.missing=yes&facet.pivot.mincount=2 | facet.missing",
                "q=river law&df=text&hl=true&hl.fl=text&hl.method=original&f.text.hl.usePhraseHighlighter=false&f.text.hl.requireFieldMatch=true | hl.method=unified",
            })
    void whatIsOfOneActorIsRefused(String line) {
        refused(line);
    }

    /** In every place and notation. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "q={!knn f=at_v2 topK=9 preFilter='{!join from=brand_s to=brand_s}id:d1'}[0.3,0.9] | \"join\"",
                "q={!knn f=at_v2 topK=9 preFilter='scale(stock_i,0,1)'}[0.3,0.9] | \"scale\"",
                "q=*:*&fq={!knn f=at_v2 topK=9}[0.3,0.9] | \"knn\"",
                "q=scale(stock_i,0,1)&df=_val_ | \"scale\"",
                "q=\"scale(stock_i,0,1)\"&defType=edismax&qf=_val_ | \"scale\"",
                "q=_val_:\"scale(stock_i,0,1)\" | \"scale\"",
                "q=_query_:\"{!func}scale(stock_i,0,1)\" | \"scale\"",
                "q=\\u005fval_:\"scale(stock_i,0,1)\" | \"scale\"",
                "q=law {!func v='ord(brand_s)'}&df=text | \"ord\"",
                "q={!func v=$fq}&fq=ord(brand_s) | \"ord\"",
                "q={!func}ord(brand_s) | \"ord\"",
                "q={!lucene df=text}{!func}ord(brand_s) | \"ord\"",
                "q=*:*&sort=ord(brand_s) desc | \"ord\"",
                "q=*:*&fq={!frange l=2 v='\\u0024q.alt'}&q.alt=ord(brand_s) | \"ord\"",
                "q=*:*&fq={!bool must='{!jo\\u0069n from=brand_s to=brand_s}id:d1'} | \"join\"",
                "q=*:*&fq={!bool must='{!jo\\\\u0069n from=brand_s to=brand_s}id:d1'} | \"join\"",
                "q=*:*&fq={!frange l=1 v='\\u006frd(brand_s)'} | \"ord\"",
                "q=*:*&fq={!frange l=1 v='\\u005cu006frd(brand_s)'} | \"ord\"",
                "q=*:*&sort=ord\u2003(brand_s) asc | \"ord\"",
                "q={!\u2003join from=brand_s to=brand_s}id:d1 | \"join\"",
                "q=*:*&fq={!type\u2003=\u2003join from=brand_s to=brand_s v='id:d1'} | \"join\"",
                "q=*:*&json.facet={a:{type:query,q:\"{!func}if(exists(literal('\u0085q=')),\\u006frd(brand_s),1)\"}} | \"ord\"",
                "q=*:*&json.facet={a:{type:query,q:\"{!func}if(exists(literal('\\u0085q=')),\\u006frd(brand_s),1)\"}} | \"ord\"",
                "q=*:*&fl=id,x:ord(brand_s) | \"ord\"",
                "q=law&defType=edismax&qf=text&bf=ord(brand_s) | \"ord\"",
                "q=law&defType=edismax&qf=text&boost=ord(brand_s) | \"ord\"",
                "q=*:*&stats=true&stats.field={!func}ord(brand_s) | \"ord\"",
                "q=*:*&facet=true&facet.query={!frange l=1}ord(brand_s) | \"ord\"",
                "json={query:{func:{v:'ord(brand_s)'}}} | \"ord\"",
                "json={query:'*:*',queries:{a:'{!func}ord(brand_s)'},filter:{param:a}} | \"ord\"",
            })
    void functionsAndParsersAreRefusedByName(String line) {
        refused(line);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=*:*&json.facet={b:{type:terms,field:brand_s,domain:{join:{from:brand_s,to:brand_s}}}} | /domain/join",
                "q=*:*&json.facet={b:{type:terms,field:brand_s,domain:{filter:\"a:b\",graph:{}}}} | /domain/graph",
                "q=*:*&json.facet={b:{type:query,q:law,facet:{x:{range:{field:stock_i,start:0,end:9,gap:1,domain:{blockParent:a}}}}}} | /domain/blockParent",
                "q=*:*&json.facet={b:{type:terms,field:brand_s,limt:3}} | json.facet/terms/limt",
                "q=*:*&json.facet={b:{field:{field:brand_s,minCount:3}}} | json.facet/terms/minCount",
                "q=*:*&json.facet={b:{terms:{field:brand_s,facet:{q:{query:{q:law,facet:{e:{terms:{field:even_b,domain:{excludeTags:t}}}}}}}}}} | terms/facet/domain/excludeTags",
                "q=*:*&json.facet={b:{terms:{field:brand_s,facet:{e:{terms:{field:even_b,excludeTags:t}}}}}} | terms/facet/domain/excludeTags",
                "q=*:*&json.facet={b:{terms:{field:brand_s,facet:{e:{terms:{field:even_b,domain:{query:law}}}}}}} | terms/facet/domain/query",
                "q=*:*&json.facet={b:{terms:{field:brand_s,facet:{e:{terms:{field:even_b,domain:{graph:{}}}}}}}} | terms/facet/domain/graph",
                "q=*:*&json.facet={b:{terms:{field:brand_s,numBuckets:true,mincount:0}}} | numBuckets",
                "q=*:*&json.facet={b:{type:terms,field:brand_s,prelim_sort:count}} | prelim_sort",
                "q=*:*&json.facet={b:{terms:{field:brand_s,numBuckets:true,prefix:b}}} | json.facet/terms/numBuckets/prefix",
                "q=*:*&json.facet={b:{terms:{field:brand_s,facet:{q:{query:{q:law,facet:{e:{terms:{field:even_b,mincount:0}}}}}}}}} | terms/facet/terms/mincount",
                "q=*:*&json.facet={b:{type:terms,field:brand_s,method:stream}} | json.facet/terms/method",
                "q=*:*&json.facet={b:{type:terms,field:brand_s,sort:index,method:enum,offset:2}} | json.facet/terms/method",
                "q=*:*&json.facet={b:{type:query,q:law,limit:3}} | json.facet/query/limit",
                "q=*:*&json.facet={b:{type:query,q:law,facet:{r:{type:range,field:stock_i,start:0,end:9,gap:1,limit:2}}}} | json.facet/range/limit",
                "q=*:*&json.facet={b:{type:func,func:'sum(stock_i)',limit:3}} | json.facet/func/limit",
                "q=*:*&json.facet={b:{terms:{field:brand_s,domain:{excludeTag:t}}}} | json.facet/domain/excludeTag",
                "json={query:'*:*',facet:{b:{terms:{field:brand_s,limt:3}}}} | json.facet/terms/limt",
                "q=*:*&json.facet={count:{type:terms,field:brand_s}} | json.facet/named/count",
                "q=*:*&json.facet={b:{type:terms,field:brand_s,facet:{val:'sum(stock_i)'}}} | json.facet/named/val",
                "q=*:*&json.facet={u:'uniqueBlock(brand_s)'} | uniqueBlock",
                "q=*:*&json.facet={b:{type:range,field:stock_i,ranges:[{from:0,to:5},{from:0,to:5}]}} | json.facet/range/ranges/twice",
                "q=*:*&json.facet={b:{range:{field:stock_i,ranges:[{from:0,to:5},{range:'[0, 5)'}]}}} | json.facet/range/ranges/twice",
                "q=*:*&json.facet={b:{query:\"{\\u0021join from=a to=b}x:1\"}} | \"join\"",
            })
    void optionsOfJsonFacetsAreRefusedByName(String line) {
        refused(line);
    }

    /** If a parser's own parameters have no end, the check of the text still ends. */
    @Test
    void whatHasNoEndIsChecked() {
        String open = "{!f=" + "xdf=".repeat(60) + "x";
        assertThatThrownBy(() -> four.query("q=*:*&fq=" + open)).isInstanceOf(UniserveException.class);
        refused("q=*:*&fq=" + open + "} ord(brand_s)\\ | \"ord\"");
        assertThatThrownBy(() -> four.deleteByQuery(open)).isInstanceOf(UniserveException.class);
        assertThat(four.query("q=*:*&rows=0&fq={!lucene  df='text' q.op=OR tag=\"a b\" }scale (river)"))
                .isNotEmpty();
    }

    private void refused(String line) {
        String[] cells = line.split(" \\| ");
        assertThatThrownBy(() -> four.query(cells[0]))
                .as(line)
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining(cells[1])
                .extracting(e -> ((UniserveException) e).code())
                .isEqualTo(ErrorCode.UNSUPPORTED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q={!knn f=at_v2 topK=0}[1,2]",
                "q={!knn f=at_v2 topK=3}[NaN,0.2]",
                "q=*:*&json.nl=foo&facet=true&facet.field=brand_s",
                "q=law&hl=true&hl.fl=text&hl.method=foo",
                "q=*:*&json.facet={b:{type:terms,field:brand_s,limit:2147483648}} | json.facet/terms/limit",
                "q=*:*&json.facet={b:{type:terms,field:brand_s,limit:-2}} | json.facet/terms/limit",
                "q=*:*&json.facet={b:{type:terms,field:brand_s,offset:-1}} | json.facet/terms/offset",
                "q=*:*&json.facet={b:{terms:{field:brand_s,mincount:-1}}} | json.facet/terms/mincount",
                "q=*:*&json.facet={b:{limit:2,field:brand_s}} | type",
                "q=*:*&group=true&group.field=nosuch | nosuch",
                "qt=/get&id= | parameter id is",
                "q=*:*&group=true&group.field=text | text",
                "q=*:*&group=true&group.field=text&group.ngroups=true | text",
                "q=*:*&sort=unknown | unknown",
                "q={!geofilt sfield=text pt=1,1 d=3} | text",
                "q={!geofilt}&sfield=text&pt=1,1&d=3 | text",
                "q=*:*&rows=0&json.nl=arrntv | json.nl",
                "q={!bbox sfield=brand_s pt=1,1 d=3} | brand_s",
                "q=*:*&fl=id,d:geodist(text,1,1) | text",
                "q=*:*&sort=geodist(text,1,1) asc | text",
                "q=*:*&stats=true&stats.field=text | text",
                "q=*:*&facet=true&facet.range=text&facet.range.start=a&facet.range.end=b&facet.range.gap=1 | start",
                "q=*:*&facet=true&facet.range=brand_s&facet.range.start=1&facet.range.end=2&facet.range.gap=1 | brand_s",
                "q=*:*&json.facet={b:{type:range,field:text,start:0,end:9,gap:1}} | text",
                "q=*:*&sort=unknown asc | unknown",
                "q=*:*&facet=true&facet.range=stock_i&facet.range.start=x&facet.range.end=9&facet.range.gap=1 | start",
                "q=*:*&facet=true&facet.range=stock_i&facet.range.start=0&facet.range.end=9&facet.range.gap=y | gap",
                "q=*:*&facet=true&facet.range=at_dt&facet.range.start=2003-01-01T00:00:00Z&facet.range.end=2004-01-01T00:00:00Z&facet.range.gap=%2B2000000000YEARS | gap",
                "q=*:*&json.facet={r:{type:range,field:at_dt,start:'2003-01-01T00:00:00Z',end:'2004-01-01T00:00:00Z',gap:'%2B2000000000YEARS'}} | gap",
                "q=*:*&json.facet={r:{type:range,field:stock_i,start:0,end:x,gap:1}} | end",
            })
    void theUsersFault(String line) {
        String[] cells = line.split(" \\| ");
        assertThatThrownBy(() -> four.query(cells[0]))
                .as(line)
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining(cells.length > 1 ? cells[1] : "")
                .extracting(e -> ((UniserveException) e).code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e400", "-1e400", "Infinity"})
    void noNumberBecomesAnother(String number) {
        Document row = new Document("id", Map.of("id", "a", "ratio_d", number));
        assertThatThrownBy(() -> SolrUpdateFunctions.ADD.validate(four.actor(0), List.of(row)))
                .hasMessageContaining("ratio_d")
                .extracting(e -> ((UniserveException) e).code())
                .isEqualTo(ErrorCode.INVALID_ROW);
        Document small = new Document("id", Map.of("id", "a", "share_f", 1e39));
        assertThatThrownBy(() -> SolrUpdateFunctions.ADD.validate(four.actor(0), List.of(small)))
                .hasMessageContaining("share_f");
    }

    @Test
    void aKeyThatIsNoField() {
        assertThatThrownBy(() -> engine.validate(LocalTable.meta(2, "nofield", Map.of())))
                .hasMessageContaining("nofield");
        assertThatThrownBy(() -> engine.validate(LocalTable.meta(2, "tags_ss", Map.of())))
                .hasMessageContaining("tags_ss");
    }
}
