package io.uniserve.protocol.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.TableName;
import io.uniserve.protocol.gate.ActorSnapshotReadExecution.Next;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.VersionedRead;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Each step of a read at one version, and that no step may be skipped. The lease ends at 100. */
final class ActorSnapshotReadExecutionTest {
    private static final VersionedRead.Target TARGET = new VersionedRead.Target(3, 7);
    private static final long EARLY = 99;
    private static final long LATE = 100;

    private static ActorSnapshotReadExecution share(long at, boolean strict, long known) {
        VersionedRead request = new VersionedRead(
                new TableName("t"), 1, List.of(TARGET), "scan", Bytes.EMPTY, at, false, strict, 1_000);
        return new ActorSnapshotReadExecution(request, TARGET, known);
    }

    private static ReadGate gate(long epoch, boolean serving, long doubt) {
        return new ReadGate(3, epoch, serving, 100, 0, doubt, 0, 5);
    }

    private static ReadGate good() {
        return gate(7, true, 0);
    }

    private static Optional<ErrorCode> code(Optional<ActorFailure> failure) {
        return failure.map(ActorFailure::code);
    }

    @Test
    void whatTheServerKnewBeforeIsToldWhereTheActorHasNoTraceOfIt() {
        ActorSnapshotReadExecution share = share(0, false, 9);
        assertThat(share.admit(good(), EARLY)).isEqualTo(Next.TAKE);
        assertThat(share.requestedVersion()).isZero();
        assertThat(share.onStateTaken(5)).isTrue();
        assertThat(share.confirm(good(), EARLY)).isEmpty();
        assertThat(share.completeVersion()).isEqualTo(9);
    }

    @Test
    void anActorThatWasBuiltAnewMeanwhileIsNotAnswered() {
        ActorSnapshotReadExecution share = share(0, false, 9);
        share.admit(good(), EARLY);
        share.onStateTaken(5);
        ReadGate rebuilt = new ReadGate(3, 7, true, 100, 0, 0, 0, 6);
        assertThat(code(share.confirm(rebuilt, EARLY))).contains(ErrorCode.UNAVAILABLE);
    }

    @Test
    void whatTheActorHasIsToldWhereTheServerKnowsLess() {
        ActorSnapshotReadExecution share = share(0, false, 4);
        share.admit(good(), EARLY);
        share.onStateTaken(5);
        assertThat(share.completeVersion()).isEqualTo(5);
    }

    @Test
    void aVersionThatIsAskedForIsTold() {
        ActorSnapshotReadExecution share = share(6, false, 9);
        share.admit(good(), EARLY);
        assertThat(share.requestedVersion()).isEqualTo(6);
        assertThat(share.onStateTaken(5)).isTrue();
        assertThat(share.completeVersion()).isEqualTo(6);
    }

    @Test
    void doubtsAreSettledWhereTheyMatter() {
        assertThat(share(0, false, 0).admit(gate(7, true, 8), EARLY)).isEqualTo(Next.RESOLVE);
        assertThat(share(8, false, 0).admit(gate(7, true, 8), EARLY)).isEqualTo(Next.RESOLVE);
        assertThat(share(7, false, 0).admit(gate(7, true, 8), EARLY)).isEqualTo(Next.TAKE);
        assertThat(share(0, true, 0).admit(gate(7, true, 8), EARLY)).isEqualTo(Next.TAKE);
    }

    @Test
    void nothingIsTakenInDoubt() {
        ActorSnapshotReadExecution share = share(0, false, 0);
        share.admit(gate(7, true, 8), EARLY);
        assertThatThrownBy(() -> share.onStateTaken(7)).isInstanceOf(IllegalStateException.class);
        share.onResolved(InDoubtResolution.NOTHING_OMITTED);
        assertThat(share.onStateTaken(7)).isTrue();
    }

    @Test
    void theGateRefusesFirst() {
        ActorSnapshotReadExecution share = share(0, false, 0);
        assertThat(share.admit(gate(6, true, 0), EARLY)).isEqualTo(Next.NONE);
        assertThat(code(share.failure())).contains(ErrorCode.STALE_EPOCH);
        ActorSnapshotReadExecution late = share(0, false, 0);
        assertThat(late.admit(good(), LATE)).isEqualTo(Next.NONE);
        assertThat(code(late.failure())).contains(ErrorCode.LEASE_EXPIRED);
        ActorSnapshotReadExecution away = share(0, true, 0);
        assertThat(away.admit(gate(7, false, 0), EARLY)).isEqualTo(Next.NONE);
        assertThat(code(away.failure())).contains(ErrorCode.UNAVAILABLE);
    }

    @Test
    void theGateRefusesLast() {
        for (ReadGate now : List.of(gate(8, true, 0), gate(7, false, 0))) {
            ActorSnapshotReadExecution share = share(0, false, 0);
            share.admit(good(), EARLY);
            share.onStateTaken(5);
            assertThat(share.confirm(now, EARLY)).isPresent();
            assertThatThrownBy(share::completeVersion).isInstanceOf(IllegalStateException.class);
        }
        ActorSnapshotReadExecution slow = share(0, false, 0);
        slow.admit(good(), EARLY);
        slow.onStateTaken(5);
        assertThat(code(slow.confirm(good(), LATE))).contains(ErrorCode.LEASE_EXPIRED);
    }

    /** It uses the epoch of a confirmed snapshot, so every replica in sync then has the version. */
    @Test
    void aStrictReadNeedsNoLease() {
        ActorSnapshotReadExecution share = share(5, true, 0);
        assertThat(share.admit(good(), LATE)).isEqualTo(Next.TAKE);
        share.onStateTaken(5);
        assertThat(share.confirm(good(), LATE)).isEmpty();
        assertThat(share.completeVersion()).isEqualTo(5);
    }

    @Test
    void aStrictReadOfBeforeTheFirstVersionSeesNone() {
        ActorSnapshotReadExecution empty = share(0, true, 9);
        empty.admit(good(), EARLY);
        assertThat(empty.onStateTaken(0)).isTrue();
        assertThat(empty.completeVersion()).isZero();
        ActorSnapshotReadExecution later = share(0, true, 9);
        later.admit(good(), EARLY);
        assertThat(later.onStateTaken(1)).isFalse();
        assertThat(code(later.failure())).contains(ErrorCode.VERSION_GONE);
    }

    @Test
    void aStateThatIsGoneIsToldUnlessTheGateHasAnotherReason() {
        ActorSnapshotReadExecution share = share(5, false, 0);
        share.admit(good(), EARLY);
        share.failVersionGone();
        assertThat(code(share.confirm(good(), EARLY))).contains(ErrorCode.VERSION_GONE);
        assertThat(code(share.confirm(gate(8, true, 0), EARLY))).contains(ErrorCode.STALE_EPOCH);
    }

    @Test
    void noStepCanBeLeftOut() {
        ActorSnapshotReadExecution share = share(0, false, 0);
        assertThatThrownBy(() -> share.onStateTaken(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> share.onResolved(InDoubtResolution.NOTHING_OMITTED))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> share.confirm(good(), EARLY)).isInstanceOf(IllegalStateException.class);
        share.admit(good(), EARLY);
        assertThatThrownBy(() -> share.admit(good(), EARLY)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> share.confirm(good(), EARLY)).isInstanceOf(IllegalStateException.class);
    }
}
