package io.uniserve.server.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.OperatorContext;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.port.kv.KvActor;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.runtime.time.SystemClock;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Operators that read an actor of another table beside their own. */
class BesideReadsTest {
    private static final TableName OTHER = new TableName("other");
    private static final long OTHER_ID = 10;
    private static final ReplicaKey KEY = new ReplicaKey(OTHER_ID, 0);

    private final ReadWorld world = new ReadWorld();

    @BeforeEach
    void start() {
        world.actor(1, 5);
        world.actors.put(KEY, Objects.requireNonNull(world.actors.get(new ReplicaKey(ReadWorld.TABLE_ID, 1))));
        world.actor(0, 2);
        gate(1, true, 60, 7);
        world.operator("both@1", BesideReadsTest::both);
    }

    @AfterEach
    void close() {
        await().until(() -> world.pins.get() == 0);
        assertThat(world.fatal.get()).isNull();
        world.close();
    }

    /** Rows of both actors, or a mark that one is missing. */
    private static Bytes both(KvActor actor, OperatorContext context) {
        Optional<KvActor> other = context.colocatedActor(OTHER).map(KvActor.class::cast);
        return Bytes.utf8(other.map(
                        found -> actor.usage().rows() + " and " + found.usage().rows())
                .orElse("alone"));
    }

    private void gate(long epoch, boolean serving, long leaseSeconds, long applied) {
        world.gates.publish(
                KEY,
                new ReadGate(
                        0, epoch, serving, SystemClock.INSTANCE.nanos() + leaseSeconds * ReadWorld.SECOND, applied));
    }

    private static ReadRequest request(ReadMode mode, List<ReadRequest.ColocatedTargets> beside) {
        return new ReadRequest(
                ReadWorld.TABLE,
                ReadWorld.TABLE_ID,
                List.of(new ReadRequest.Target(0, 1, 0)),
                "both@1",
                Codecs.STRING.encode(""),
                1,
                2,
                0,
                20 * ReadWorld.SECOND,
                mode,
                List.of(),
                Optional.empty(),
                beside);
    }

    private static ReadRequest.ColocatedTargets other(long tableId, long epoch, long floor) {
        return new ReadRequest.ColocatedTargets(OTHER, tableId, List.of(new ReadRequest.Target(0, epoch, floor)));
    }

    private String read(ReadMode mode, ReadRequest.ColocatedTargets... beside) {
        ReadReply reply = world.read(request(mode, List.of(beside)));
        assertThat(reply.failures()).isEmpty();
        return Codecs.BYTES.decode(reply.parts().get(0).value()).utf8();
    }

    @Test
    void anActorThatMayBeReadIsFound() {
        assertThat(read(ReadMode.LINEARIZABLE, other(OTHER_ID, 1, 7))).isEqualTo("2 and 5");
        assertThat(read(ReadMode.LINEARIZABLE, other(OTHER_ID, 1, 7), other(OTHER_ID, 1, 7)))
                .isEqualTo("2 and 5");
    }

    @Test
    void oneThatNobodyAskedForIsNot() {
        assertThat(read(ReadMode.LINEARIZABLE)).isEqualTo("alone");
        assertThat(read(
                        ReadMode.LINEARIZABLE,
                        new ReadRequest.ColocatedTargets(OTHER, OTHER_ID, List.of(new ReadRequest.Target(1, 1, 0)))))
                .isEqualTo("alone");
    }

    @Test
    void norIsOneWhoseGateIsClosed() {
        assertThat(read(ReadMode.LINEARIZABLE, other(11, 1, 0))).isEqualTo("alone");
        assertThat(read(ReadMode.LINEARIZABLE, other(OTHER_ID, 2, 0))).isEqualTo("alone");
        assertThat(read(ReadMode.LINEARIZABLE, other(OTHER_ID, 1, 8))).isEqualTo("alone");
        gate(1, false, 60, 7);
        assertThat(read(ReadMode.LINEARIZABLE, other(OTHER_ID, 1, 7))).isEqualTo("alone");
        gate(1, true, -1, 7);
        assertThat(read(ReadMode.LINEARIZABLE, other(OTHER_ID, 1, 7))).isEqualTo("alone");
        assertThat(read(ReadMode.STALE, other(OTHER_ID, 2, 8))).isEqualTo("2 and 5");
    }

    @Test
    void norIsOneThatIsClosedOrHasVersions() {
        world.gates.publish(new ReplicaKey(OTHER_ID, 0), Objects.requireNonNull(world.gates.get(KEY)));
        KvActor actor = Objects.requireNonNull(world.actors.remove(KEY));
        assertThat(read(ReadMode.LINEARIZABLE, other(OTHER_ID, 1, 7))).isEqualTo("alone");
        world.actors.put(KEY, actor);
        world.shelves.put(
                KEY, new io.uniserve.protocol.transaction.server.VersionedSnapshotCache<>(1 << 20, state -> {}));
        assertThat(read(ReadMode.LINEARIZABLE, other(OTHER_ID, 1, 7))).isEqualTo("alone");
    }

    @Test
    void oneThatIsOnlyBehindIsWaitedFor() {
        var read = world.start(request(ReadMode.LINEARIZABLE, List.of(other(OTHER_ID, 2, 8))));
        await().until(() -> world.refreshes.get() > 0);
        gate(2, true, 60, 8);
        ReadReply reply = ((Outcome.Ok<ReadReply>) read.join()).value();
        assertThat(Codecs.BYTES.decode(reply.parts().get(0).value()).utf8()).isEqualTo("2 and 5");
    }

    @Test
    void whatWasReadOfOneThatMovedMeanwhileDoesNotCount() {
        world.operator("both@1", (actor, context) -> {
            Bytes value = both(actor, context);
            gate(2, true, 60, 7);
            return value;
        });
        assertMoved();
        gate(1, true, 60, 7);
        world.operator("both@1", (actor, context) -> {
            Bytes value = both(actor, context);
            world.gates.remove(KEY);
            return value;
        });
        assertMoved();
    }

    private void assertMoved() {
        ReadReply reply = world.read(request(ReadMode.LINEARIZABLE, List.of(other(OTHER_ID, 1, 7))));
        assertThat(reply.parts()).isEmpty();
        assertThat(reply.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(failure.actor()).isZero();
            assertThat(failure.message()).contains("table other");
        });
    }
}
