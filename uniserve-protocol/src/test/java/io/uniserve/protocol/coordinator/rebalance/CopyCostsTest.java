package io.uniserve.protocol.coordinator.rebalance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Measured costs of copies: rate of past copies, and updates per second. */
class CopyCostsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final ReplicaKey KEY = new ReplicaKey(1, 0);

    private final CopyRate rate = new CopyRate();
    private final UpdateRates updates = new UpdateRates();

    @Test
    void theFirstCopyReplacesTheAssumptionAndOthersAreSmoothed() {
        assertThat(rate.bytesPerSecond()).isEqualTo(CopyRate.ASSUMED_BYTES_PER_SECOND);
        rate.add(CopyRate.BYTES_MIN - 1, SECOND);
        rate.add(100_000_000, 0);
        assertThat(rate.samples()).isZero();
        rate.add(100_000_000, SECOND);
        assertThat(rate.bytesPerSecond()).isEqualTo(100e6);
        rate.add(200_000_000, SECOND);
        assertThat(rate.bytesPerSecond()).isEqualTo(125e6);
    }

    private void report(String role, long index, long seconds) {
        ReplicaLoad replica = new ReplicaLoad(KEY, 1, role, index, 0, 0, 0, 0, 0, 0, 0);
        updates.update(List.of(new Load(new ServerId("a"), List.of(replica), 0)), seconds * SECOND);
    }

    @Test
    void updatesAreCountedByTheLogOfThePrimary() {
        report(ReplicaLoad.PRIMARY, 1_000, 10);
        assertThat(updates.perSecond(KEY)).as("one report").isZero();
        report(ReplicaLoad.PRIMARY, 2_000, 20);
        assertThat(updates.perSecond(KEY)).as("the first rate counts whole").isCloseTo(100, within(1e-9));
        report(ReplicaLoad.PRIMARY, 4_000, 30);
        assertThat(updates.perSecond(KEY)).isCloseTo(150, within(1e-9));
        report(ReplicaLoad.PRIMARY, 10, 40);
        assertThat(updates.perSecond(KEY)).as("a log that was truncated").isCloseTo(150, within(1e-9));
        report("FOLLOWER", 9_000, 50);
        assertThat(updates.perSecond(KEY)).isZero();
    }
}
