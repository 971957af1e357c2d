package io.uniserve.protocol.transaction.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Batch;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Size limits of logs that are pushed to servers. */
class TransactionLogPublisherTest {
    private static final Batch BATCH = new Batch(new RequestId(1, 2, 3), "00");

    private static TransactionLogState log(int decisions, int batches, int unacked, int participants) {
        InFlight flight = participants == 0
                ? null
                : new InFlight(
                        10_000,
                        new ServerId("s"),
                        IntStream.range(0, participants).boxed().toList(),
                        List.of(BATCH),
                        1);
        Decision decision = new Decision(
                1,
                true,
                Collections.nCopies(batches, BATCH),
                List.of(),
                "",
                IntStream.range(0, unacked).boxed().toList());
        return new TransactionLogState(9, 9_999, 10_000, flight, Collections.nCopies(decisions, decision), 0, 0);
    }

    @Test
    void aLogWithMuchInItIsNotTold() {
        int max = Limits.TOLD_DECISIONS_MAX;
        assertThat(TransactionLogPublisher.fitsMessage(log(max, 1, 1, 0))).isTrue();
        assertThat(TransactionLogPublisher.fitsMessage(log(max + 1, 1, 0, 0)))
                .as("decisions")
                .isFalse();
        assertThat(TransactionLogPublisher.fitsMessage(log(max / 2, 5, 0, 0)))
                .as("requests")
                .isFalse();
        assertThat(TransactionLogPublisher.fitsMessage(log(max / 2, 1, 4, 0)))
                .as("unacknowledged")
                .isFalse();
        assertThat(TransactionLogPublisher.fitsMessage(log(0, 0, 0, Limits.TOLD_ENTRIES_MAX - 1)))
                .isTrue();
        assertThat(TransactionLogPublisher.fitsMessage(log(0, 0, 0, Limits.TOLD_ENTRIES_MAX)))
                .as("participants")
                .isFalse();
    }
}
