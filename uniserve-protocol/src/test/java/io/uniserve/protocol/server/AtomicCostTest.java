package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Operations that a sequence of atomic updates avoids, as they would cost time. */
class AtomicCostTest {
    private static final int UPDATES = 5;

    private final AtomicCluster atomic = new AtomicCluster(2, 1, 2);
    private final Cluster cluster = atomic.cluster;
    private final Host driver = atomic.primary(0);

    private void update() {
        for (int i = 0; i < UPDATES; i++) {
            atomic.update(driver, rows("a", 0));
        }
    }

    @Test
    void aDecisionGoesToFollowersWithTheNextEntry() {
        update();
        cluster.loop.run(AtomicCluster.SECOND);
        List<List<LogEntry.Type>> sent = new ArrayList<>();
        cluster.network.lose((to, request) -> {
            if (request instanceof Replicate replicate && !replicate.entries().isEmpty()) {
                sent.add(replicate.entries().stream().map(LogEntry::type).toList());
            }
            return false;
        });
        update();
        List<LogEntry.Type> both = List.of(LogEntry.Type.DECIDE, LogEntry.Type.PREPARE);
        assertThat(sent).hasSize(UPDATES).startsWith(List.of(LogEntry.Type.PREPARE));
        assertThat(sent.subList(1, UPDATES)).allMatch(both::equals);
        cluster.loop.run(AtomicCluster.SECOND);
        assertThat(sent).hasSize(UPDATES + 1).endsWith(List.of(LogEntry.Type.DECIDE));
    }
}
