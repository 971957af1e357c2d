package io.uniserve.protocol.coordinator.rebalance;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadAveragesTest {
    private static final ReplicaKey KEY = new ReplicaKey(3, 1);

    private final LoadAverages averages = new LoadAverages();

    private static Load report(String server, double cost) {
        ReplicaLoad replica = new ReplicaLoad(KEY, 1, "FOLLOWER", 0, 0, 0, 0, 1_000, 0, cost, 0);
        return new Load(new ServerId(server), List.of(replica), 0);
    }

    @Test
    void replicasAddUpAndTheLastReportWeighsHalf() {
        averages.update(List.of(report("a", 30), report("b", 10)), key -> false);
        assertThat(averages.cost(KEY)).isEqualTo(40);
        averages.update(List.of(report("a", 0), report("b", 0)), key -> false);
        assertThat(averages.cost(KEY)).isEqualTo(20);
        assertThat(averages.memory(KEY)).isEqualTo(1_000);
        averages.update(List.of(), key -> false);
        assertThat(averages.cost(KEY)).isZero();
        assertThat(averages.memory(KEY)).isZero();
    }

    @Test
    void whatHasJustMovedDoesNotLookColder() {
        averages.update(List.of(report("a", 30)), key -> false);
        averages.update(List.of(report("b", 0)), KEY::equals);
        assertThat(averages.cost(KEY)).isEqualTo(30);
        averages.update(List.of(report("b", 50)), KEY::equals);
        assertThat(averages.cost(KEY)).isEqualTo(40);
    }

    @Test
    void nonsenseCountsAsNothing() {
        averages.update(
                List.of(report("a", Double.NaN), report("b", -1), report("c", Double.POSITIVE_INFINITY)), k -> false);
        assertThat(averages.cost(KEY)).isZero();
    }
}
