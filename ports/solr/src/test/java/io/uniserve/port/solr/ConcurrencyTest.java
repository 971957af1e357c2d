package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries of several threads while documents are added, changed and deleted: a query sees all updates that were complete at its start. */
class ConcurrencyTest {
    private static final int LASTING = 300;
    private static final int READERS = 3;
    private static final int ROUNDS = 4;
    private static final int PASSING = 50;
    private static final int STAY = 5;

    @Test
    void queriesDuringUpdatesSeeWhatIsDone(@TempDir Path directory) throws Exception {
        SolrEngine engine = new SolrEngine();
        ExecutorService pool = Executors.newFixedThreadPool(READERS);
        try (EngineInstance instance = LocalTable.open(engine, directory)) {
            LocalTable table = new LocalTable(engine, instance, directory, 4);
            table.add(documents("d", 0, LASTING, "lasting"));
            AtomicInteger done = new AtomicInteger();
            List<Future<Integer>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                readers.add(pool.submit(() -> read(table, done)));
            }
            while (readers.stream().anyMatch(reader -> !reader.isDone())) {
                String round = "r" + done.get() + "x";
                table.add(documents(round, 0, PASSING, "passing"));
                table.add(documents("d", 0, 50, "lasting"));
                table.delete(documents(round, STAY, PASSING, "passing"));
                done.incrementAndGet();
            }
            int seen = 0;
            for (Future<Integer> reader : readers) {
                seen = Math.max(seen, reader.get());
            }
            assertThat(seen)
                    .as("rounds of updates that were done when a query began")
                    .isPositive();
        } finally {
            pool.shutdownNow();
        }
    }

    /** Returns the number of rounds that were complete before the last query. */
    private static int read(LocalTable table, AtomicInteger done) {
        int before;
        do {
            String all = table.query("q=text:lasting^=1&rows=1000&fl=id,text&facet=true&facet.field=kind_s");
            assertThat(SingleCore.found(all)).isEqualTo(LASTING);
            assertThat(SingleCore.ids(all)).hasSize(LASTING).doesNotHaveDuplicates();
            assertThat(all).contains("\"kind_s\":[\"lasting\"," + LASTING);
            before = done.get();
            List<String> passing = SingleCore.ids(table.query("q=text:passing^=1&rows=100000&fl=id"));
            for (int round = 0; round < before; round++) {
                String prefix = "r" + round + "x";
                assertThat(passing)
                        .filteredOn(id -> id.startsWith(prefix))
                        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, STAY)
                                .mapToObj(number -> prefix + number)
                                .toList());
            }
        } while (before < ROUNDS);
        return before;
    }

    private static List<Document> documents(String prefix, int from, int to, String word) {
        List<Document> documents = new ArrayList<>();
        for (int i = from; i < to; i++) {
            documents.add(new Document("id", Map.of("id", prefix + i, "text", word + " words", "kind_s", word)));
        }
        return documents;
    }
}
