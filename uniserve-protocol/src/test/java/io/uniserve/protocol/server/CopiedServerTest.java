package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two processes with one identity, as after a copy of a data directory: one of them must end. */
class CopiedServerTest {
    private static final long SECOND = Cluster.SECOND;
    private static final ServerId ID = new ServerId("s1");
    private static final Address ELSEWHERE = new Address("elsewhere", 8000);

    private final Cluster cluster = new Cluster(1);
    private final Host original = cluster.server("s1");
    private final Host copy = new Host(cluster, "s1", ELSEWHERE);

    @Test
    void aCopyAsOldAsItsOriginalIsRefused() {
        copy.start();
        cluster.loop.run(20 * SECOND);
        assertThat(copy.fatal).singleElement().asString().contains("s1 is in use at s1:8000", "copied");
        theOriginalServes();
    }

    @Test
    void aCopyThatWasStartedMoreOftenIsRefusedToo() {
        for (int i = 0; i < 3; i++) {
            copy.start();
            cluster.loop.run(20 * SECOND);
            copy.kill();
        }
        assertThat(copy.fatal).hasSize(3);
        theOriginalServes();
    }

    private void theOriginalServes() {
        assertThat(original.fatal).isEmpty();
        assertThat(registered()).isEqualTo(List.of(original.address()));
    }

    @Test
    void anOriginalThatCouldNotAnswerEndsWhenItSeesTheOther() {
        cluster.network.stop(original.address());
        copy.startAfter(original);
        cluster.loop.run(20 * SECOND);
        assertThat(copy.fatal).isEmpty();
        assertThat(registered()).isEqualTo(List.of(ELSEWHERE));
        assertThat(original.fatal).singleElement().asString().contains("s1 is in use at elsewhere:8000");
    }

    @Test
    void aServerThatMovedWhileItWasDownIsNoCopy() {
        original.kill();
        copy.startAfter(original);
        cluster.loop.run(20 * SECOND);
        assertThat(copy.fatal).isEmpty();
        assertThat(registered()).isEqualTo(List.of(ELSEWHERE));
    }

    private List<Address> registered() {
        return cluster.store.value(RegistryPaths.server(ID)) instanceof ServerRecord record
                ? List.of(record.address())
                : List.of();
    }
}
