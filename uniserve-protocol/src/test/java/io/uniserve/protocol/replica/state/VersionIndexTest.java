package io.uniserve.protocol.replica.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.protocol.message.LogEntry;
import org.junit.jupiter.api.Test;

/** Versions in an actor's log, and the version in doubt for its readers. */
final class VersionIndexTest {
    private final VersionState applied = new VersionState();
    private final VersionIndex trail = new VersionIndex(() -> applied);

    private static LogEntry prepare(long index, long version) {
        return LogEntry.prepare(1, index, version, version - 1, 1, Bytes.utf8("rows"));
    }

    private static LogEntry decide(long index, long version, boolean commit) {
        return LogEntry.decide(1, index, version, commit);
    }

    private void apply(LogEntry entry) {
        applied.record(entry);
        trail.onApplied(entry.index());
    }

    @Test
    void aPrepareIsInDoubtFromItsAppendUntilItsDecisionIsApplied() {
        trail.onAppended(prepare(2, 5));
        assertThat(trail.inDoubtVersion()).isEqualTo(5);
        apply(prepare(2, 5));
        assertThat(trail.inDoubtVersion()).isEqualTo(5);
        trail.onAppended(decide(3, 5, true));
        assertThat(trail.inDoubtVersion()).as("readers do not see it yet").isEqualTo(5);
        assertThat(trail.stateAtEnd().open()).as("the log has decided it").isZero();
        assertThat(trail.undecidedIndex()).isZero();
        apply(decide(3, 5, true));
        assertThat(trail.inDoubtVersion()).isZero();
        assertThat(trail.stateAtEnd().committed()).isEqualTo(5);
    }

    @Test
    void theOldestDoubtCountsFirst() {
        apply(prepare(2, 5));
        trail.onAppended(decide(3, 5, true));
        trail.onAppended(prepare(4, 6));
        assertThat(trail.inDoubtVersion()).isEqualTo(5);
        apply(decide(3, 5, true));
        assertThat(trail.inDoubtVersion()).isEqualTo(6);
        assertThat(trail.stateAtEnd().committed()).isEqualTo(5);
        assertThat(trail.stateAtEnd().openIndex()).isEqualTo(4);
        assertThat(trail.undecidedIndex()).isEqualTo(4);
    }

    /** The manager of the first version may still claim that it is not visible when the second one is in doubt. */
    @Test
    void whatIsAbortedHidesNothingThatComesAfterIt() {
        apply(prepare(2, 5));
        trail.onAppended(decide(3, 5, false));
        assertThat(trail.inDoubtVersion()).isZero();
        trail.onAppended(prepare(4, 6));
        assertThat(trail.inDoubtVersion()).isEqualTo(6);
        trail.onAppended(decide(5, 6, false));
        trail.onAppended(prepare(6, 7));
        assertThat(trail.inDoubtVersion()).isEqualTo(7);
        trail.truncate(4);
        assertThat(trail.inDoubtVersion()).isEqualTo(6);
    }

    @Test
    void abortsAfterAVersionEndNothing() {
        apply(prepare(2, 5));
        apply(decide(3, 5, true));
        apply(decide(4, 7, false)); // of another actor's update, or of none
        assertThat(trail.lastIndexOf(5)).isEqualTo(VersionIndex.LOG_END);
        apply(prepare(5, 8));
        apply(decide(6, 8, false));
        assertThat(trail.lastIndexOf(5)).isEqualTo(VersionIndex.LOG_END);
        trail.onAppended(prepare(7, 9));
        assertThat(trail.lastIndexOf(9)).isEqualTo(VersionIndex.UNDECIDED);
    }

    @Test
    void theLogUpToAVersionEndsBeforeALaterOneThatIsOpen() {
        apply(prepare(2, 5));
        apply(decide(3, 5, true));
        trail.onAppended(prepare(4, 6));
        assertThat(trail.lastIndexOf(5)).isEqualTo(3);
        assertThat(trail.lastIndexOf(6)).isEqualTo(VersionIndex.UNDECIDED);
    }

    @Test
    void beforeTheFirstVersionTheLogIsWithoutIt() {
        assertThat(trail.lastIndexOf(0)).isEqualTo(VersionIndex.LOG_END);
        trail.onAppended(prepare(2, 1));
        assertThat(trail.lastIndexOf(0)).isEqualTo(1);
        apply(prepare(2, 1));
        apply(decide(3, 1, true));
        assertThat(trail.lastIndexOf(0)).as("no longer known").isEqualTo(VersionIndex.FORGOTTEN);
    }

    @Test
    void whatIsCutWasNeverThere() {
        trail.onAppended(prepare(2, 5));
        trail.truncate(1);
        assertThat(trail.inDoubtVersion()).isZero();
        assertThat(trail.stateAtEnd().newest()).isZero();
        trail.onAppended(prepare(2, 7));
        trail.onAppended(LogEntry.epoch(2, 2));
        assertThat(trail.inDoubtVersion()).as("another log took the place").isZero();
    }

    @Test
    void aDecisionWithoutAPrepareKeepsALatePrepareOut() {
        trail.onAppended(decide(2, 5, false));
        assertThat(trail.stateAtEnd().newest()).isEqualTo(5);
        assertThat(trail.stateAtEnd().open()).isZero();
    }

    @Test
    void aRefusedPrepareIsKnownAsSuch() {
        trail.onAppended(prepare(2, 5).toRefused(Bytes.utf8("why")));
        assertThat(trail.stateAtEnd().refused()).isEqualTo(5);
        assertThat(trail.inDoubtVersion()).isZero();
    }

    @Test
    void aCheckpointKeepsThem() {
        RequestOutcomeTable table = new RequestOutcomeTable();
        table.record(prepare(1, 4));
        table.record(decide(2, 4, true));
        BinaryWriter out = new BinaryWriter();
        table.write(out);
        BinaryReader in = new BinaryReader(out.toBytes());
        VersionState read = RequestOutcomeTable.read(in).versions();
        in.expectEnd();
        assertThat(read.newest()).isEqualTo(4);
        assertThat(read.committed()).isEqualTo(4);
        assertThat(read.open()).isZero();
    }
}
