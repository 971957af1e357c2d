package io.uniserve.port.solr;

import io.uniserve.api.Actor;
import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.PerActorParameters;
import io.uniserve.codec.Bytes;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.solr.query.ShardRequestBatcher;
import io.uniserve.testkit.tck.HostileInput;
import io.uniserve.testkit.tck.HostileTargets;
import io.uniserve.testkit.tck.PortFixture;
import io.uniserve.testkit.tck.PortTck;
import io.uniserve.testkit.tck.TckQuery;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.solr.servlet.SolrRequestParsers;

/** The Solr port satisfies the port contract. */
class SolrTckTest extends PortTck {
    SolrTckTest() {
        super(new SolrFixture());
    }

    private static final class SolrFixture implements PortFixture {
        @Override
        public Engine engine() {
            return new SolrEngine();
        }

        @Override
        public TableMeta meta() {
            return LocalTable.meta(4);
        }

        @Override
        public String upsert() {
            return "solr.add@1";
        }

        @Override
        public Document row(int i) {
            return new Document("id", Map.of("id", "d" + i, "text", "row number " + i, "n_i", (long) i));
        }

        @Override
        public Document changedRow(int i) {
            return new Document("id", Map.of("id", "d" + i, "text", "changed", "n_i", 1_000_000L + i));
        }

        @Override
        public Document unicodeRow() {
            return new Document("id", Map.of("id", "k-é-日本-😀", "text", "\"quotes\"\nbreak", "x_s", "日本 é 😀"));
        }

        @Override
        public List<Document> invalidRows() {
            return List.of(
                    new Document("id", Map.of("text", "no id")),
                    new Document("id", Map.of("id", "")),
                    new Document("id", Map.of("id", 5L)),
                    new Document("text", Map.of("id", "a", "text", "b")),
                    new Document("id", Map.of("id", "a", "n_i", "abc")),
                    new Document("id", Map.of("id", "a", "n_i", 3_000_000_000L)),
                    new Document("id", Map.of("id", "a", "nosuchfield", "abc")));
        }

        @Override
        public List<TckQuery<?, ?>> probes() {
            return Stream.of(
                            "q=*:*&rows=0",
                            "q=text:number&rows=100&fl=*&sort=id+asc",
                            "q=n_i:[5+TO+1000001]&rows=9&fl=id,score")
                    .map(SolrFixture::probe)
                    .toList();
        }

        /** Searched by one core if the table has one actor, otherwise in two rounds. */
        @Override
        public List<String> queries() {
            return List.of(
                    "q=*:*&rows=0",
                    "q=text:number&rows=7&fl=id,n_i&sort=n_i+desc",
                    "q=*:*&rows=20&start=5&fl=id&sort=x_s+asc,id+asc");
        }

        @Override
        public Optional<Document> tiedRow(String key) {
            return Optional.of(new Document("id", Map.of("id", key, "text", "row number 7", "n_i", 7L)));
        }

        /** Each of thirty non-empty buckets has as many buckets as the whole. */
        @Override
        public List<TckQuery<?, ?>> endlessProbes() {
            String range = "type:range,field:n_i,start:0,end:900000,gap:1";
            return List.of(probe("q=*:*&rows=0&json.facet={a:{" + range + ",facet:{b:{" + range + "}}}}"));
        }

        @Override
        public List<HostileInput> hostileInputs(HostileTargets targets) {
            return SolrHostileInputs.of(targets, SolrFixture::probe);
        }

        @Override
        public Optional<String> switchValue(EngineInstance instance, Actor actor, String name) {
            return Optional.of(((SolrActor) actor)
                    .withRequest("read a switch", request -> ClosedParts.value(request.getCore(), name)));
        }

        /** The planner merges, see {@link ParityTest}; here the larger part replaces the merge. */
        private static TckQuery<?, ?> probe(String query) {
            return new TckQuery<PerActorParameters<ShardRequestBatcher.Parameters>, Bytes>(
                    SolrQuery.SHARD.id(),
                    PerActorParameters.ofAll(new ShardRequestBatcher.Parameters(
                            SolrRequestParsers.parseQueryString(query).getMap())),
                    (parameters, left, right) -> left.buffer().compareTo(right.buffer()) < 0 ? right : left,
                    false);
        }
    }
}
