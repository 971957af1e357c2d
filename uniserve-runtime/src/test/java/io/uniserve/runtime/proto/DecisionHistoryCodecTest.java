package io.uniserve.runtime.proto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.model.registry.DecisionHistory;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Batch;
import io.uniserve.model.registry.TransactionLogState.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Transaction log with almost only settled decisions. */
final class DecisionHistoryCodecTest {
    private static Batch batch(long client, long sequence) {
        return new Batch(new RequestId(client, -client, sequence), Sha256.hex(Bytes.utf8(client + " " + sequence)));
    }

    private static Decision settled(long version, Batch... batches) {
        return new Decision(version, true, List.of(batches), List.of(), "", List.of());
    }

    private static TransactionLogState log(List<Decision> decisions) {
        return new TransactionLogState(7, 90, 100, null, decisions, 3);
    }

    private static byte[] returns(TransactionLogState log) {
        byte[] bytes = RegistryCodec.encode(log);
        assertThat(RegistryCodec.decode("/log", bytes)).isEqualTo(log);
        return bytes;
    }

    @Test
    void settledAndOthersComeBackInTheirOrder() {
        Decision open = new Decision(4, true, List.of(batch(1, 4)), List.of(), "", List.of(0, 3));
        Decision refused = new Decision(
                6,
                false,
                List.of(batch(1, 5), batch(2, 1)),
                List.of(batch(2, 1).request()),
                "no such field",
                List.of());
        Decision otherHash =
                new Decision(7, true, List.of(new Batch(new RequestId(1, 2, 3), "no hash")), List.of(), "", List.of());
        byte[] bytes = returns(log(List.of(
                settled(1, batch(1, 1)),
                settled(3, batch(1, 3), batch(9, Long.MAX_VALUE), batch(1, 2)),
                open,
                settled(5, batch(-1, Long.MIN_VALUE)),
                refused,
                otherHash,
                settled(Long.MAX_VALUE, batch(1, 7)))));
        assertThat(bytes).hasSizeLessThan(700);
    }

    @Test
    void aFullLogIsSmall() {
        List<Decision> decisions = new ArrayList<>();
        for (int i = 1; i <= 1_024; i++) {
            decisions.add(settled(1_000_000 + i, batch(i % 5, i / 5)));
        }
        assertThat(returns(log(decisions))).hasSizeLessThan(36 << 10);
    }

    @Test
    void outcomesComeBackAndBelongToALogOfALaterFormat() throws Exception {
        Decision refused = new Decision(
                6, false, List.of(batch(2, 1)), List.of(batch(2, 1).request()), "no such field", List.of());
        DecisionHistory outcomes = new DecisionHistory(7, 3, List.of(settled(1, batch(1, 1)), refused));
        byte[] bytes = RegistryCodec.encode(outcomes);
        assertThat(RegistryCodec.decode("/outcomes", bytes)).isEqualTo(outcomes);
        assertThat(RegistryProto.RegistryNode.parseFrom(bytes).getFormat()).isEqualTo(2);
        TransactionLogState whole = log(List.of(settled(1, batch(1, 1))));
        assertThat(RegistryProto.RegistryNode.parseFrom(returns(whole)).getFormat())
                .as("nothing is elsewhere: older versions can go on with it")
                .isEqualTo(1);
        TransactionLogState parted = new TransactionLogState(7, 90, 100, null, List.of(), 3, 1);
        assertThat(RegistryProto.RegistryNode.parseFrom(returns(parted)).getFormat())
                .isEqualTo(2);
    }

    @Test
    void versionsThatDoNotAscendAreKeptAsTheyAre() {
        returns(log(List.of(settled(5, batch(1, 1)), settled(5, batch(1, 2)), settled(2, batch(1, 3)))));
        returns(log(List.of(settled(0, batch(1, 1)), settled(1, batch(1, 2)))));
    }

    @Test
    void whatIsDamagedIsRefused() {
        byte[] good = DecisionHistoryCodec.pack(List.of(settled(1, batch(1, 1)), settled(2, batch(2, 1))))
                .toByteArray();
        for (int length = 1; length < good.length; length++) {
            ByteString cut = ByteString.copyFrom(good, 0, length);
            assertThatThrownBy(() -> DecisionHistoryCodec.unpack(cut))
                    .as("%d bytes", length)
                    .isInstanceOf(UniserveException.class)
                    .hasMessageContaining("settled");
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 2_000; i++) {
            byte[] bad = good.clone();
            bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            try {
                assertThat(DecisionHistoryCodec.unpack(ByteString.copyFrom(bad)))
                        .hasSizeLessThan(3);
            } catch (UniserveException e) {
                assertThat(e.reason()).contains("settled");
            }
        }
    }
}
