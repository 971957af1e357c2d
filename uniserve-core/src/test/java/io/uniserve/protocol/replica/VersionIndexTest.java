package io.uniserve.protocol.replica;

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
        trail.applied(entry.index());
    }

    @Test
    void aPrepareIsInDoubtFromItsAppendUntilItsDecisionIsApplied() {
        trail.appended(prepare(2, 5));
        assertThat(trail.doubt()).isEqualTo(5);
        apply(prepare(2, 5));
        assertThat(trail.doubt()).isEqualTo(5);
        trail.appended(decide(3, 5, true));
        assertThat(trail.doubt()).as("readers do not see it yet").isEqualTo(5);
        assertThat(trail.end().open()).as("the log has decided it").isZero();
        assertThat(trail.undecidedAt()).isZero();
        apply(decide(3, 5, true));
        assertThat(trail.doubt()).isZero();
        assertThat(trail.end().committed()).isEqualTo(5);
    }

    @Test
    void theOldestDoubtCountsFirst() {
        apply(prepare(2, 5));
        trail.appended(decide(3, 5, true));
        trail.appended(prepare(4, 6));
        assertThat(trail.doubt()).isEqualTo(5);
        apply(decide(3, 5, true));
        assertThat(trail.doubt()).isEqualTo(6);
        assertThat(trail.end().committed()).isEqualTo(5);
        assertThat(trail.end().openIndex()).isEqualTo(4);
        assertThat(trail.undecidedAt()).isEqualTo(4);
    }

    /** The manager of the first version may still claim that it is not visible when the second one is in doubt. */
    @Test
    void whatIsAbortedHidesNothingThatComesAfterIt() {
        apply(prepare(2, 5));
        trail.appended(decide(3, 5, false));
        assertThat(trail.doubt()).isZero();
        trail.appended(prepare(4, 6));
        assertThat(trail.doubt()).isEqualTo(6);
        trail.appended(decide(5, 6, false));
        trail.appended(prepare(6, 7));
        assertThat(trail.doubt()).isEqualTo(7);
        trail.cut(4);
        assertThat(trail.doubt()).isEqualTo(6);
    }

    @Test
    void abortsAfterAVersionEndNothing() {
        apply(prepare(2, 5));
        apply(decide(3, 5, true));
        apply(decide(4, 7, false)); // of another actor's update, or of none
        assertThat(trail.endOf(5)).isEqualTo(VersionIndex.LOG_END);
        apply(prepare(5, 8));
        apply(decide(6, 8, false));
        assertThat(trail.endOf(5)).isEqualTo(VersionIndex.LOG_END);
        trail.appended(prepare(7, 9));
        assertThat(trail.endOf(9)).isEqualTo(VersionIndex.UNDECIDED);
    }

    @Test
    void whatIsCutWasNeverThere() {
        trail.appended(prepare(2, 5));
        trail.cut(1);
        assertThat(trail.doubt()).isZero();
        assertThat(trail.end().newest()).isZero();
        trail.appended(prepare(2, 7));
        trail.appended(LogEntry.epoch(2, 2));
        assertThat(trail.doubt()).as("another log took the place").isZero();
    }

    @Test
    void aDecisionWithoutAPrepareKeepsALatePrepareOut() {
        trail.appended(decide(2, 5, false));
        assertThat(trail.end().newest()).isEqualTo(5);
        assertThat(trail.end().open()).isZero();
    }

    @Test
    void aRefusedPrepareIsKnownAsSuch() {
        trail.appended(prepare(2, 5).refused(Bytes.utf8("why")));
        assertThat(trail.end().refused()).isEqualTo(5);
        assertThat(trail.doubt()).isZero();
    }

    @Test
    void aCheckpointKeepsThem() {
        RequestTable table = new RequestTable();
        table.record(prepare(1, 4));
        table.record(decide(2, 4, true));
        BinaryWriter out = new BinaryWriter();
        table.write(out);
        BinaryReader in = new BinaryReader(out.toBytes());
        VersionState read = RequestTable.read(in).versions();
        in.expectEnd();
        assertThat(read.newest()).isEqualTo(4);
        assertThat(read.committed()).isEqualTo(4);
        assertThat(read.open()).isZero();
    }
}
