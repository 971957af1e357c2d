package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.port.kv.KvEngine;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The number of threads depends on the server, not on partitions: a shuffle of 64 slots uses no more than one of 4. */
@Isolated
@Timeout(300)
class ShuffleThreadsTest {
    private static final int ROWS = 256;
    /** Queries per round: more than a server's planning threads. */
    private static final int QUERIES = 60;
    /** Every number is in one slot's chunks, and in those that all slots get. */
    private static final String READ_POOL = "uniserve-read-N";

    private static final String PLAIN = "sum ";
    /** Queries whose chunks must be written to files. */
    private static final String LARGE = "large ";

    private static final Logger LOG = LoggerFactory.getLogger(ShuffleThreadsTest.class);

    @TempDir
    Path directory;

    private final AtomicInteger asked = new AtomicInteger();

    private static void load(UniserveClient client, String table, int actors) {
        client.admin()
                .createTable(
                        TableSpec.named(table).port(KvEngine.NAME).hash(actors).replicas(2));
        ShufflingEngine.put(client, table, ROWS);
    }

    /** The footprint after updates and shuffles of a table. */
    private Footprint round(UniserveClient client, String table, int actors, int large) {
        String sum = Long.toString((actors + 1L) * ROWS * (ROWS - 1) / 2);
        for (int query = 0; query < QUERIES; query++) {
            if (query % 4 == 0) {
                ShufflingEngine.put(client, table, ROWS);
            }
            String text = (query < large ? LARGE : PLAIN) + asked.incrementAndGet();
            assertThat(client.query(table, text).body().utf8()).startsWith(sum);
        }
        return Footprint.now();
    }

    @Test
    void aTableOfMorePartitionsHasNoMoreThreads() {
        try (LocalCluster cluster = ShufflingEngine.cluster(2, directory)) {
            UniserveClient client = cluster.client();
            load(client, "narrow", 4);
            Footprint narrow = Footprint.settled(() -> round(client, "narrow", 4, 6));
            LOG.warn("4 slots: {}", narrow);

            load(client, "wide", 64);
            Footprint busy = round(client, "wide", 64, 1);
            LOG.warn("64 slots: {}", busy);
            assertThat(busy.without(READ_POOL).threadsAbove(narrow.withPools(2)))
                    .isEmpty();
            // A spare read thread stands in for a long task, as on a busy machine, and ends with it.
            await().until(() ->
                    Footprint.now().threadsAbove(narrow.withPools(2)).isEmpty());
            assertThat(busy.threads())
                    .containsKeys(READ_POOL, "uniserve-query-N", "uniserve-exchange", "uniserve-port-N-N")
                    .containsKeys("uniserve-exchange-disk-N", "engine-N");
            assertThat(cluster.failures()).isEmpty();
        }
    }
}
