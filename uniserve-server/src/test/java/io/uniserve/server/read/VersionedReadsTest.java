package io.uniserve.server.read;

import static io.uniserve.server.read.ReadWorld.SECOND;
import static io.uniserve.server.read.ReadWorld.TABLE;
import static io.uniserve.server.read.ReadWorld.TABLE_ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.runtime.time.SystemClock;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads of one version: the state that they read, the version of their answers, and rejected requests. */
class VersionedReadsTest {
    private final ReadWorld world = new ReadWorld();

    @AfterEach
    void close() {
        assertThat(world.pins).hasValue(0);
        await().until(() -> world.service.activeRequests() == 0);
        world.close();
    }

    private static VersionedRead request(String operator, long at, int... actors) {
        return new VersionedRead(
                TABLE,
                TABLE_ID,
                IntStream.of(actors)
                        .mapToObj(actor -> new VersionedRead.Target(actor, 1))
                        .toList(),
                operator,
                Codecs.STRING.encode(""),
                at,
                20 * SECOND);
    }

    private CompletableFuture<Outcome<VersionedRead.Reply>> start(VersionedRead request) {
        CompletableFuture<Outcome<VersionedRead.Reply>> future = new CompletableFuture<>();
        var unused = world.service.read(request, (Completion<VersionedRead.Reply>) future::complete);
        return future;
    }

    private static VersionedRead.Reply of(CompletableFuture<Outcome<VersionedRead.Reply>> future) {
        return ((Outcome.Ok<VersionedRead.Reply>) future.join()).value();
    }

    private VersionedRead.Reply count(long at, int... actors) {
        return of(start(request("kv.count@1", at, actors)));
    }

    private static long value(VersionedRead.Part part) {
        return Codecs.LONG.decode(part.value());
    }

    /** Creates an actor with this many rows at version 3. */
    private void actor(int number, int rows) {
        world.actor(number, rows);
        world.keep(number, 3, 100);
    }

    private void doubt(int actor, long version) {
        world.gates.publish(
                new ReplicaKey(TABLE_ID, actor),
                new ReadGate(actor, 1, true, SystemClock.INSTANCE.nanos() + 60 * SECOND, 1, version, 3, 0));
    }

    @Test
    void everyActorTellsTheVersionThroughWhichItIsComplete() {
        actor(0, 5);
        actor(1, 7);
        world.put(1, "more");
        world.keep(1, 6, 100);
        world.gates.publishVersion(TABLE_ID, 4);
        VersionedRead.Reply reply = count(0, 0, 1);
        assertThat(reply.failures()).isEmpty();
        assertThat(reply.parts())
                .extracting(VersionedRead.Part::completeVersion)
                .containsExactly(4L, 6L);
        assertThat(reply.parts()).extracting(VersionedReadsTest::value).containsExactly(5L, 8L);
    }

    private VersionedRead.Reply merged(String operator, int... actors) {
        VersionedRead single = request(operator, 0, actors);
        return of(start(new VersionedRead(
                TABLE,
                TABLE_ID,
                single.targets(),
                single.operator(),
                single.parameters(),
                0,
                true,
                false,
                single.remainingNanos())));
    }

    private static Bytes joined(Bytes left, Bytes right) {
        return new BinaryWriter().writeRaw(left).writeRaw(right).toBytes();
    }

    @Test
    void valuesThatAreBytesAreMergedAsOthersAre() {
        actor(0, 5);
        actor(1, 7);
        world.merging("test.bytes@1", (actor, context) -> Bytes.wrap(new byte[] {5}), VersionedReadsTest::joined);
        List<VersionedRead.Part> parts = merged("test.bytes@1", 0, 1).parts();
        assertThat(parts).extracting(VersionedRead.Part::actors).containsExactly(List.of(0, 1));
        assertThat(Codecs.BYTES.decode(parts.get(0).value())).isEqualTo(Bytes.wrap(new byte[] {5, 5}));
        parts = merged("test.bytes@1", 0).parts();
        assertThat(Codecs.BYTES.decode(parts.get(0).value())).isEqualTo(Bytes.wrap(new byte[] {5}));
    }

    @Test
    void bytesThatAreToBeMergedHaveTheLimitOfOneActorToo() {
        actor(0, 5);
        actor(1, 7);
        Bytes large = Bytes.wrap(new byte[Limits.RESULT_BYTES_PER_ACTOR_MAX + 1]);
        world.merging("test.bytes@1", (actor, context) -> large, (left, right) -> Bytes.EMPTY);
        VersionedRead.Reply reply = merged("test.bytes@1", 0, 1);
        assertThat(reply.parts()).isEmpty();
        assertThat(reply.failures()).extracting(ActorFailure::code).containsOnly(ErrorCode.TOO_LARGE);
    }

    @Test
    void aMergerThatFailsFailsItsActorsAndEndsTheRead() {
        actor(0, 5);
        actor(1, 7);
        world.merging("test.deep@1", (actor, context) -> Bytes.EMPTY, (left, right) -> {
            throw new StackOverflowError("a merger without an end");
        });
        VersionedRead.Reply reply = merged("test.deep@1", 0, 1);
        assertThat(reply.parts()).isEmpty();
        assertThat(reply.failures()).extracting(ActorFailure::actor).containsExactly(0, 1);
        assertThat(reply.failures()).extracting(ActorFailure::code).containsOnly(ErrorCode.PORT_FAILED);
    }

    @Test
    void whatIsTooLargeWhenMergedGoesOneByOneAndTheRestIsAskedForAgain() {
        for (int i = 0; i < 4; i++) {
            actor(i, 1);
        }
        Bytes part = Bytes.wrap(new byte[Limits.RESULT_BYTES_PER_REPLY_MAX / 5 * 2]);
        world.merging("test.bytes@1", (actor, context) -> part, VersionedReadsTest::joined);
        VersionedRead.Reply reply = merged("test.bytes@1", 0, 1, 2, 3);
        assertThat(reply.parts()).extracting(VersionedRead.Part::actors).containsExactly(List.of(0), List.of(1));
        assertThat(reply.parts())
                .allMatch(each -> Codecs.BYTES.decode(each.value()).equals(part));
        assertThat(reply.failures()).extracting(ActorFailure::actor).containsExactlyInAnyOrder(2, 3);
        assertThat(reply.failures()).extracting(ActorFailure::code).containsOnly(ErrorCode.RESOURCE_EXHAUSTED);
    }

    @Test
    void valuesOfOneVersionAreMergedWhereTheAskerTakesThat() {
        for (int i = 0; i < 4; i++) {
            actor(i, 5 + i);
        }
        world.put(3, "more");
        world.keep(3, 6, 100);
        world.gates.publishVersion(TABLE_ID, 4);
        world.gate(2, 1, true, -SECOND, 1);
        VersionedRead.Reply reply = merged("kv.count@1", 0, 1, 2, 3);
        assertThat(reply.parts()).extracting(VersionedRead.Part::actors).containsExactly(List.of(0, 1), List.of(3));
        assertThat(reply.parts())
                .extracting(VersionedRead.Part::completeVersion)
                .containsExactly(4L, 6L);
        assertThat(reply.parts()).extracting(VersionedReadsTest::value).containsExactly(11L, 9L);
        assertThat(reply.failures()).hasSize(1);
        assertThat(reply.failures().get(0).actor()).isEqualTo(2);
        assertThat(count(0, 0, 1).parts()).as("not asked for").hasSize(2);
    }

    @Test
    void anOlderVersionIsReadAsItWas() {
        actor(0, 5);
        world.put(0, "more");
        world.keep(0, 6, 100);
        VersionedRead.Part part = count(5, 0).parts().get(0);
        assertThat(part.completeVersion()).isEqualTo(5);
        assertThat(value(part)).isEqualTo(5);
        assertThat(value(count(6, 0).parts().get(0))).isEqualTo(6);
    }

    @Test
    void aStateThatIsNotKeptIsGone() {
        actor(0, 5);
        VersionedRead.Reply reply = count(2, 0);
        assertThat(reply.parts()).isEmpty();
        assertThat(reply.failures().get(0).code()).isEqualTo(ErrorCode.VERSION_GONE);
    }

    @Test
    void whatIsInDoubtIsSettledBeforeTheStateIsTaken() {
        actor(0, 5);
        actor(1, 7);
        doubt(1, 4);
        AtomicReference<Completion<InDoubtResolution>> asked = new AtomicReference<>();
        world.settled.set((table, key, at, defers, done) -> asked.set(done));
        CompletableFuture<Outcome<VersionedRead.Reply>> reply = start(request("kv.count@1", 0, 0, 1));
        assertThat(reply).isNotDone();
        world.put(1, "decided");
        world.keep(1, 4, 100);
        Objects.requireNonNull(asked.get()).done(Outcome.ok(InDoubtResolution.NOTHING_OMITTED));
        assertThat(of(reply).parts()).extracting(VersionedReadsTest::value).containsExactlyInAnyOrder(5L, 8L);
    }

    @Test
    void theAnswerSaysWhatIsLeftOpenAndWhatIsDenied() {
        actor(0, 5);
        actor(1, 7);
        actor(2, 9);
        doubt(0, 4);
        doubt(1, 4);
        world.settled.set((table, key, at, defers, done) -> done.done(Outcome.ok(
                key.actor() == 0 && defers ? InDoubtResolution.omitOpen(4) : InDoubtResolution.omitInvisible(4))));
        VersionedRead plain = request("kv.count@1", 0, 0, 1, 2);
        VersionedRead.Reply reply = of(start(deferring(plain, true)));
        assertThat(reply.parts()).hasSize(3);
        assertThat(reply.openVersions()).containsExactly(4L);
        assertThat(reply.invisibleVersions()).containsExactly(4L);
        assertThat(of(start(deferring(plain, false))).openVersions()).isEmpty();
    }

    private static VersionedRead deferring(VersionedRead plain, boolean defers) {
        return new VersionedRead(
                plain.table(),
                plain.tableId(),
                plain.targets(),
                plain.operator(),
                plain.parameters(),
                plain.version(),
                plain.acceptsMerged(),
                defers,
                plain.strict(),
                plain.remainingNanos());
    }

    @Test
    void aDoubtAfterTheVersionAskedForDoesNotMatter() {
        actor(0, 5);
        doubt(0, 4);
        world.settled.set((table, key, at, defers, done) -> {
            throw new AssertionError("nothing to settle");
        });
        assertThat(value(count(3, 0).parts().get(0))).isEqualTo(5);
    }

    @Test
    void aDoubtThatCannotBeSettledFailsItsActorAlone() {
        actor(0, 5);
        actor(1, 7);
        doubt(1, 4);
        world.settled.set((table, key, at, defers, done) ->
                done.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, "version 4 is in doubt"))));
        VersionedRead.Reply reply = count(0, 0, 1);
        assertThat(reply.parts()).extracting(VersionedRead.Part::actors).containsExactly(List.of(0));
        assertThat(reply.failures().get(0).actor()).isEqualTo(1);
        assertThat(reply.failures().get(0).message()).contains("in doubt");
    }

    @Test
    void aReplicaThatMayNoMoreAnswerWhenTheOperatorEndsDoesNot() {
        actor(0, 5);
        world.operator("test.late@1", (actor, context) -> {
            world.gate(0, 2, true, SECOND, 1);
            return Bytes.EMPTY;
        });
        VersionedRead.Reply reply = of(start(request("test.late@1", 0, 0)));
        assertThat(reply.parts()).isEmpty();
        assertThat(reply.failures().get(0).code()).isEqualTo(ErrorCode.STALE_EPOCH);
    }

    /** Between request and answer a version may be decided that the state does not have. */
    @Test
    void theVersionAnAnswerStandsForIsThatOfTheQuestion() {
        actor(0, 5);
        world.gates.publishVersion(TABLE_ID, 4);
        world.operator("test.slow@1", (actor, context) -> {
            world.gates.publishVersion(TABLE_ID, 9);
            return Bytes.EMPTY;
        });
        assertThat(of(start(request("test.slow@1", 0, 0))).parts())
                .extracting(VersionedRead.Part::completeVersion)
                .containsExactly(4L);
    }

    @Test
    void noMoreIsKnownAfterADoubtIsSettled() {
        actor(0, 5);
        doubt(0, 4);
        world.settled.set((table, key, at, defers, done) -> {
            world.gates.publishVersion(TABLE_ID, 9);
            done.done(Outcome.ok(InDoubtResolution.NOTHING_OMITTED));
        });
        assertThat(count(0, 0).parts())
                .extracting(VersionedRead.Part::completeVersion)
                .containsExactly(3L);
    }

    @Test
    void aLeaseThatRunsOutWhileTheOperatorWorksIsOver() {
        actor(0, 5);
        world.operator("test.late@1", (actor, context) -> {
            long until = SystemClock.INSTANCE.nanos();
            world.gates.publish(new ReplicaKey(TABLE_ID, 0), new ReadGate(0, 1, true, until, 1, 0, 3, 0));
            return Bytes.EMPTY;
        });
        VersionedRead.Reply reply = of(start(request("test.late@1", 0, 0)));
        assertThat(reply.parts()).isEmpty();
        assertThat(reply.failures().get(0).code()).isEqualTo(ErrorCode.LEASE_EXPIRED);
    }

    @Test
    void anEngineThatIsBuiltAnewWhileTheOperatorWorksIsAnother() {
        actor(0, 5);
        world.operator("test.late@1", (actor, context) -> {
            long until = SystemClock.INSTANCE.nanos() + 60 * SECOND;
            world.gates.publish(new ReplicaKey(TABLE_ID, 0), new ReadGate(0, 1, true, until, 1, 0, 3, 1));
            return Bytes.EMPTY;
        });
        VersionedRead.Reply reply = of(start(request("test.late@1", 0, 0)));
        assertThat(reply.parts()).isEmpty();
        assertThat(reply.failures().get(0).code()).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void aReplicaWithoutALeaseDoesNotAnswer() {
        actor(0, 5);
        world.gate(0, 1, true, -SECOND, 1);
        assertThat(count(0, 0).failures().get(0).code()).isEqualTo(ErrorCode.LEASE_EXPIRED);
    }

    @Test
    void aStrictReadNeedsNoLeaseAndSeesItsVersionOnly() {
        actor(0, 5);
        world.gate(0, 1, true, -SECOND, 1);
        VersionedRead asked = request("kv.count@1", 3, 0);
        VersionedRead.Part part = of(start(strict(asked, 3))).parts().get(0);
        assertThat(part.completeVersion()).isEqualTo(3);
        assertThat(value(part)).isEqualTo(5);
        assertThat(of(start(strict(asked, 0))).failures().get(0).code()).isEqualTo(ErrorCode.VERSION_GONE);
    }

    private static VersionedRead strict(VersionedRead asked, long at) {
        return new VersionedRead(
                asked.table(),
                asked.tableId(),
                asked.targets(),
                asked.operator(),
                asked.parameters(),
                at,
                false,
                true,
                asked.remainingNanos());
    }

    @Test
    void anEventualTableHasNoVersions() {
        world.actor(0, 5);
        assertThat(count(0, 0).failures().get(0).code()).isEqualTo(ErrorCode.UNSUPPORTED);
    }

    @Test
    void aTableWithVersionsIsNotReadByItsPresentStates() {
        actor(0, 5);
        ReadReply reply = world.read(ReadWorld.request("kv.count@1", "", 0));
        assertThat(reply.parts()).isEmpty();
        assertThat(reply.failures().get(0).code()).isEqualTo(ErrorCode.UNSUPPORTED);
        assertThat(reply.failures().get(0).message()).contains("atomic updates");
    }

    @Test
    void requestsThatCannotBeAreRefused() {
        assertThatThrownBy(() -> start(request("kv.count@1", 0))).hasMessageContaining("0 actors");
        assertThatThrownBy(() -> start(request("kv.count@1", 0, 1, 1))).hasMessageContaining("actor 1 is named twice");
        actor(0, 5);
        assertThat(of(start(request("kv.none@1", 0, 0))).failures().get(0).code())
                .isEqualTo(ErrorCode.UNKNOWN_OPERATOR);
    }
}
