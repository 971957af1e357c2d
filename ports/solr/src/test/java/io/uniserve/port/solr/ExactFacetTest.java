package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.model.PartitionKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Terms that no actor has among its first, but the whole table has. */
class ExactFacetTest {
    private static final int ACTORS = 4;

    private final List<Document> documents = new ArrayList<>();
    private int ids;

    /** Adds a document that this actor owns. */
    private void document(int actor, String term) {
        while (true) {
            String id = "d" + ids++;
            if (LocalTable.meta(ACTORS).partitioner().actorOf(PartitionKey.of(id)) == actor) {
                documents.add(new Document("id", Map.of("id", id, "term_s", term)));
                return;
            }
        }
    }

    @Test
    void aTermThatIsSecondEverywhereIsFirst(@TempDir Path directory) {
        for (int actor = 0; actor < ACTORS; actor++) {
            for (int local = 0; local < 120; local++) {
                for (int i = 0; i < 5; i++) {
                    document(actor, "local-" + actor + "-" + local);
                }
            }
            for (int i = 0; i < 4; i++) {
                document(actor, "everywhere");
            }
        }
        SolrEngine engine = new SolrEngine();
        try (EngineInstance instance = LocalTable.open(engine, directory)) {
            LocalTable table = new LocalTable(engine, instance, directory, ACTORS);
            table.add(documents);
            String facet = "q=*:*&rows=0&facet=true&facet.field=term_s&facet.limit=";
            assertThat(table.query(facet + 1)).contains("\"term_s\":[\"everywhere\",16]");
            assertThat(table.query(facet + 2 + "&facet.mincount=6")).contains("\"term_s\":[\"everywhere\",16]");
            String grouped = "&group=true&group.field=term_s&group.ngroups=true&fl=id";
            assertThat(table.query(facet + 1 + grouped)).contains("\"term_s\":[\"everywhere\",16]", "\"ngroups\":481");
            String byName = "&facet.sort=index&facet.mincount=6";
            assertThat(table.query(facet + 2 + byName)).contains("\"term_s\":[\"everywhere\",16]");
        }
    }

    /** A refinement by name sends the actor its terms as a text, in which an empty term is lost. */
    @Test
    void anEmptyTermIsCountedWhereNoListHasIt(@TempDir Path directory) {
        for (int actor = 0; actor < ACTORS; actor++) {
            for (int local = 0; local < 120; local++) {
                for (int i = 0; i < 5; i++) {
                    document(actor, "local-" + actor + "-" + local);
                }
            }
            for (int i = 0; i < (actor == 0 ? 20 : 3); i++) {
                document(actor, "");
            }
        }
        SolrEngine engine = new SolrEngine();
        try (EngineInstance instance = LocalTable.open(engine, directory)) {
            LocalTable table = new LocalTable(engine, instance, directory, ACTORS);
            table.add(documents);
            String facet = "q=*:*&rows=0&facet=true&facet.field=term_s&facet.limit=";
            assertThat(table.query(facet + 1)).contains("\"term_s\":[\"\",29]");
            assertThat(table.query(facet + 2)).contains("\"term_s\":[\"\",29,\"local-0-0\",5]");
        }
    }

    @Test
    void whereEachActorTellsAllItsTermsOneRoundIsEnough(@TempDir Path directory) {
        for (int actor = 0; actor < ACTORS; actor++) {
            for (int local = 0; local < 100; local++) {
                document(actor, "local-" + actor + "-" + local);
            }
            document(actor, "everywhere");
            document(actor, "first " + actor % 2);
        }
        SolrEngine engine = new SolrEngine();
        try (EngineInstance instance = LocalTable.open(engine, directory)) {
            LocalTable table = new LocalTable(engine, instance, directory, ACTORS);
            table.add(documents);
            assertThat(table.query("q=*:*&rows=0&facet=true&facet.field=term_s&facet.limit=3"))
                    .contains("\"term_s\":[\"everywhere\",4,\"first 0\",2,\"first 1\",2]");
            assertThat(table.rounds()).hasSize(1);
        }
    }
}
