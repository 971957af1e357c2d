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
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries of several threads while documents come, change and go. */
class ConcurrencyTest {
    private static final int LASTING = 300;

    @Test
    void queriesDuringUpdatesSeeEveryLastingDocument(@TempDir Path directory) throws Exception {
        SolrEngine engine = new SolrEngine();
        ExecutorService pool = Executors.newFixedThreadPool(3);
        try (EngineInstance instance = LocalTable.open(engine, directory)) {
            LocalTable table = new LocalTable(engine, instance, directory, 4);
            table.add(documents(0, LASTING, "lasting"));
            AtomicBoolean stop = new AtomicBoolean();
            List<Future<Integer>> readers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                readers.add(pool.submit(() -> read(table, stop)));
            }
            try {
                for (int round = 0; round < 8; round++) {
                    List<Document> passing = documents(1_000 + round * 20, 1_000 + round * 20 + 50, "passing");
                    table.add(passing);
                    table.add(documents(0, 50, "lasting"));
                    table.delete(passing.subList(0, 45));
                }
            } finally {
                stop.set(true);
            }
            for (Future<Integer> reader : readers) {
                assertThat(reader.get()).isPositive();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private static int read(LocalTable table, AtomicBoolean stop) {
        int queries = 0;
        do {
            String all = table.query("q=text:lasting^=1&rows=1000&fl=id,text&facet=true&facet.field=kind_s");
            assertThat(SingleCore.found(all)).isEqualTo(LASTING);
            assertThat(SingleCore.ids(all)).hasSize(LASTING).doesNotHaveDuplicates();
            // Documents that vanish between the phases are left out, as in SolrCloud.
            String passing = table.query("q=text:passing^=1&rows=1000&fl=*");
            assertThat(SingleCore.ids(passing)).hasSizeLessThanOrEqualTo((int) SingleCore.found(passing));
            queries++;
        } while (!stop.get());
        return queries;
    }

    private static List<Document> documents(int from, int to, String word) {
        List<Document> documents = new ArrayList<>();
        for (int i = from; i < to; i++) {
            documents.add(new Document("id", Map.of("id", "d" + i, "text", word + " words", "kind_s", word)));
        }
        return documents;
    }
}
