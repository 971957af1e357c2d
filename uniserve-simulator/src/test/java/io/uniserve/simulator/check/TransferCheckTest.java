package io.uniserve.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.model.TableName;
import io.uniserve.simulator.check.TransferHistory.BalanceRead;
import io.uniserve.simulator.check.TransferHistory.Transfer;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Histories of amounts with one error each. The only rows are 0 and 4, on two actors. */
final class TransferCheckTest {
    private final ViolationCollector violations =
            new ViolationCollector(new EventQueue(), new EventTrace(new EventQueue(), line -> {}));
    private final TransferHistory history = new TransferHistory();

    /** Moves an amount from row 0 to row 4. */
    private Transfer move(long amount, long nanos) {
        return history.transfer(new TreeMap<>(Map.of(0, -amount, 4, amount)), nanos);
    }

    private void read(long from, long to, long version, long first, long second) {
        history.addRead(BalanceRead.ofRows("k2", from, to, version, true, new TreeMap<>(Map.of(0, first, 4, second))));
    }

    private List<String> check(boolean oneEra) {
        new TransferCheck(violations, history, oneEra).run();
        return violations.kept().stream().map(Violation::invariant).toList();
    }

    @Test
    void aGoodHistoryPasses() {
        read(0, 1, 0, 0, 0);
        move(5, 2).committed(4, 3);
        move(1, 2).committed(5, 3); // merged with the one before
        read(6, 7, 3, -6, 6);
        move(10, 8); // its outcome is unknown
        read(8, 9, 3, -6, 6);
        move(2, 10).committed(12, 7);
        read(10, 13, 6, -16, 16); // started before that was acknowledged
        read(13, 14, 7, -18, 18);
        move(7, 15).refused();
        history.addRead(BalanceRead.ofTotal("k2", 15, 16, 7, 0));
        assertThat(check(true)).isEmpty();
    }

    @Test
    void halfATransferIsFound() {
        move(5, 1).committed(3, 1);
        history.addRead(BalanceRead.ofTotal("k2", 4, 5, 1, -5));
        assertThat(check(true)).containsExactly("SUM");
    }

    @Test
    void halfATransferWithAnUnknownOutcomeIsFound() {
        move(5, 1);
        read(4, 5, 1, -5, 0);
        assertThat(check(true)).containsExactly("SUM");
    }

    @Test
    void aRowThatIsMadeOfNothingIsFoundInAReadOfIt() {
        history.addRead(BalanceRead.ofRows("k2", 4, 5, 1, false, new TreeMap<>(Map.of(0, 3L))));
        assertThat(check(true)).containsExactly("AMOUNT");
    }

    /** The total of all rows is still 0, so only single rows show the error. */
    @Test
    void aTransferThatIsMadeTwiceIsFound() {
        move(5, 1).committed(3, 1);
        read(4, 5, 1, -10, 10);
        assertThat(check(true)).containsExactly("AMOUNT", "AMOUNT");
    }

    @Test
    void aTransferOfALaterVersionIsFound() {
        move(5, 1).committed(9, 2);
        read(4, 5, 1, -5, 5);
        assertThat(check(true)).containsExactly("AMOUNT", "AMOUNT");
    }

    @Test
    void aRefusedTransferIsFound() {
        move(5, 1).refused();
        read(4, 5, 1, -5, 5);
        assertThat(check(true)).containsExactly("AMOUNT", "AMOUNT");
    }

    @Test
    void aReadThatMissesWhatWasAcknowledgedBeforeItIsFound() {
        move(5, 1).committed(3, 2);
        read(4, 5, 1, 0, 0);
        history.addRead(BalanceRead.ofTotal("k3", 4, 5, 1, 0));
        assertThat(check(true)).containsExactly("I4", "I4", "I4");
    }

    /** A row without transfers may be read at an older version. */
    @Test
    void aRowThatNothingChangesIsOfAnyVersion() {
        move(5, 1).committed(3, 2);
        history.addRead(BalanceRead.ofRows("k2", 4, 5, 1, false, new TreeMap<>(Map.of(8, 0L))));
        assertThat(check(true)).isEmpty();
    }

    @Test
    void ofATableThatWentBackOnlyTotalsAreJudged() {
        move(5, 1).committed(3, 2);
        read(4, 5, 1, 0, 0);
        read(6, 7, 1, -5, 0);
        assertThat(check(false)).containsExactly("SUM");
    }

    @Test
    void whatMakesSomethingIsNoTransfer() {
        TreeMap<Integer, Long> more = new TreeMap<>(Map.of(0, -1L, 4, 2L));
        assertThatThrownBy(() -> history.transfer(more, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTornReadOfTwoTablesIsFound() {
        LedgerCheck ledger = new LedgerCheck(violations);
        ledger.totals(Map.of(new TableName("orders"), 0L, new TableName("payments"), 0L));
        assertThat(violations.kept()).isEmpty();
        ledger.totals(Map.of(new TableName("orders"), 0L, new TableName("payments"), 3L));
        assertThat(violations.kept()).extracting(Violation::invariant).containsExactly("SUM");
    }
}
