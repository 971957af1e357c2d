package io.uniserve.benchmark.hotspot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.benchmark.balance.HashedKeys;
import io.uniserve.benchmark.hotspot.SolrHotWorkload.Phrase;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Keys of the workloads, and checks of answers that must find wrong ones. */
class HotWorkloadsTest {
    private static final int ACTORS = 8;

    @Test
    void keysAreOnTheirActors() {
        HashedKeys keys = new HashedKeys(ACTORS, 800, 20);
        Partitioner hash = new Partitioner.Hash(ACTORS);
        int all = 0;
        for (int actor = 0; actor < ACTORS; actor++) {
            int expected = actor;
            assertThat(keys.of(actor)).isSorted().allMatch(key -> hash.actorOf(PartitionKey.of(key)) == expected);
            all += keys.of(actor).size();
            for (long n = 0; n < 1_000; n++) {
                assertThat(keys.place(actor, n, 20)).isBetween(0, keys.of(actor).size() - 20);
            }
        }
        assertThat(all).isEqualTo(800);
    }

    @Test
    void tooFewKeysAreRejected() {
        assertThatThrownBy(() -> new HashedKeys(ACTORS, 40, 20)).hasMessageContaining("40 keys are");
    }

    @Test
    void wrongRowsOfKvAreFound() {
        KvHotWorkload workload = new KvHotWorkload(ACTORS, 400);
        HashedKeys keys = new HashedKeys(ACTORS, 400, 20);
        List<Document> right = new ArrayList<>();
        for (int i = 3; i < 23; i++) {
            right.add(row(keys.key(2, i), KvHotWorkload.value(keys.key(2, i))));
        }
        assertThat(workload.difference(2, 3, right)).isEmpty();
        assertThat(workload.difference(2, 4, right)).get().asString().contains("row 0 is");
        assertThat(workload.difference(2, 3, right.subList(0, 19)))
                .get()
                .asString()
                .contains("19 rows, not 20");
        List<Document> changed = new ArrayList<>(right);
        changed.set(7, row(keys.key(2, 10), KvHotWorkload.value(keys.key(2, 11))));
        assertThat(workload.difference(2, 3, changed)).get().asString().contains("row 7");
    }

    private static Document row(String key, String value) {
        return new Document("id", Map.of("id", key, "value", value));
    }

    @Test
    void wrongDocumentsOfMongodbAreFound() {
        String document = "{\"_id\":\"k1\",\"value\":\"" + KvHotWorkload.value("k1") + "\"}";
        String other = "{\"_id\":\"k2\",\"value\":\"" + KvHotWorkload.value("k2") + "\"}";
        assertThat(MongoHotWorkload.difference("k1", answer(document))).isEmpty();
        assertThat(MongoHotWorkload.difference("k1", answer(""))).isPresent();
        assertThat(MongoHotWorkload.difference("k1", answer(other))).isPresent();
        assertThat(MongoHotWorkload.difference("k1", answer(document + "," + other)))
                .isPresent();
        assertThat(MongoHotWorkload.difference("k1", "no JSON")).isPresent();
    }

    private static String answer(String documents) {
        return "{\"ok\":1,\"cursor\":{\"id\":0,\"firstBatch\":[" + documents + "]}}";
    }

    @Test
    void phrasesHaveTheirDocuments() {
        SolrHotWorkload workload = new SolrHotWorkload(ACTORS, 400);
        for (int part = 0; part < ACTORS; part++) {
            for (long n = 0; n < 64; n++) {
                Phrase phrase = workload.phrase(part, n);
                assertThat(phrase.found()).as(phrase.text()).isPositive();
                assertThat(phrase.ids()).hasSize(Math.min(10, phrase.found())).isSorted();
            }
        }
    }

    @Test
    void wrongAnswersOfSolrAreFound() {
        Phrase phrase = new Phrase("baka doka", 3, List.of("k1", "k2", "k3"));
        assertThat(SolrHotWorkload.difference(phrase, solr(3, "k1", "k2", "k3")))
                .isEmpty();
        assertThat(SolrHotWorkload.difference(phrase, solr(4, "k1", "k2", "k3")))
                .get()
                .asString()
                .contains("\"baka doka\" is in 3 documents");
        assertThat(SolrHotWorkload.difference(phrase, solr(3, "k1", "k3", "k2")))
                .isPresent();
        assertThat(SolrHotWorkload.difference(phrase, solr(3, "k1", "k2"))).isPresent();
        assertThat(SolrHotWorkload.difference(phrase, "{}")).isPresent();
        assertThat(SolrHotWorkload.difference(phrase, "no JSON")).isPresent();
    }

    private static String solr(int found, String... ids) {
        List<String> documents = new ArrayList<>();
        for (String id : ids) {
            documents.add("{\"id\":\"" + id + "\"}");
        }
        return "{\"response\":{\"numFound\":" + found + ",\"start\":0,\"docs\":[" + String.join(",", documents) + "]}}";
    }
}
