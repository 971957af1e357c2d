package io.uniserve.server.read;

import static io.uniserve.server.read.ReadWorld.TABLE_ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.port.kv.KvActor;
import io.uniserve.port.kv.KvUpdateFunctions;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads of sessions, with a real service over key-value actors. */
class SessionReadsTest {
    private static final long MINUTE = 60 * ReadWorld.SECOND;

    private final ReadWorld world = new ReadWorld();

    @AfterEach
    void close() {
        world.service.close();
        assertThat(world.pins.get()).as("closing lets go of all actors").isZero();
        assertThat(world.fatal.get()).isNull();
        world.close();
    }

    @Test
    void laterReadsSeeWhatTheFirstOneSaw() {
        world.actor(0, 3);
        world.actor(1, 4);
        ReadReply first = read(1, MINUTE, "kv.count@1", 0, 0);
        List<Long> versions = first.parts().get(0).versions();
        assertThat(first.parts().get(0).actors()).containsExactly(0, 1);
        assertThat(versions).hasSize(2).doesNotHaveDuplicates().doesNotContain(0L);
        put(0, "more");
        assertThat(count(read(1, MINUTE, "kv.count@1", versions.get(0), versions.get(1))))
                .isEqualTo(7);
        assertThat(count(world.read(ReadWorld.request("kv.count@1", "", 0, 1)))).isEqualTo(8);
        assertThat(count(read(2, MINUTE, "kv.count@1", 0, 0)))
                .as("another session")
                .isEqualTo(8);
    }

    @Test
    void theSameRequestTwiceHoldsOneState() {
        world.actor(0, 3);
        long version = onlyVersion(read(1, MINUTE, ReadRequest.HOLD, 0));
        put(0, "more");
        ReadReply again = read(1, MINUTE, "kv.count@1", 0);
        assertThat(onlyVersion(again)).isEqualTo(version);
        assertThat(count(again)).isEqualTo(3);
        assertThat(world.service.sessionStates()).isEqualTo(1);
    }

    @Test
    void aHeldStateNeedsNoGateAndOutlivesTheReplica() {
        world.actor(0, 3);
        long version = onlyVersion(read(1, MINUTE, "kv.count@1", 0));
        world.gates.remove(new ReplicaKey(TABLE_ID, 0));
        world.actors.remove(new ReplicaKey(TABLE_ID, 0));
        assertThat(count(read(1, MINUTE, "kv.count@1", version))).isEqualTo(3);
        assertThat(world.pins.get()).isEqualTo(1);
    }

    @Test
    void whatWasLetGoOfIsGone() {
        world.actor(0, 3);
        long version = onlyVersion(read(1, MINUTE, "kv.count@1", 0));
        assertThat(code(read(2, MINUTE, "kv.count@1", version))).as("another's").isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(code(read(1, MINUTE, "kv.count@1", version + 1))).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(read(1, MINUTE, ReadRequest.RELEASE, 0).failures()).isEmpty();
        assertThat(world.service.sessionStates()).isZero();
        assertThat(world.pins.get()).isZero();
        assertThat(code(read(1, MINUTE, "kv.count@1", version))).isEqualTo(ErrorCode.VERSION_GONE);
        long anew = onlyVersion(read(1, MINUTE, "kv.count@1", 0));
        assertThat(anew).as("no version comes twice").isNotEqualTo(version);
    }

    @Test
    void timeEndsWhatNobodyLetsGoOf() {
        world.actor(0, 3);
        read(1, 1, "kv.count@1", 0);
        await().until(() -> world.service.sessionStates() == 0 && world.pins.get() == 0);
    }

    @Test
    void overTheLimitTheStateUnreadForLongestGoes() {
        int each = Limits.SESSION_SNAPSHOTS_PER_ACTOR_MAX;
        world.actor(0, 1);
        long first = onlyVersion(read(0, MINUTE, "kv.count@1", 0));
        long second = onlyVersion(read(1, MINUTE, "kv.count@1", 0));
        for (int i = 2; i < Limits.SESSION_SNAPSHOTS_PER_SERVER_MAX; i++) {
            if (i % each == 0) {
                world.actor(i / each, 1);
            }
            hold(i / each, i);
        }
        assertThat(count(read(0, MINUTE, "kv.count@1", first))).isEqualTo(1);
        world.actor(Limits.SESSION_SNAPSHOTS_PER_SERVER_MAX, 1);
        hold(Limits.SESSION_SNAPSHOTS_PER_SERVER_MAX, Limits.SESSION_SNAPSHOTS_PER_SERVER_MAX);
        assertThat(world.service.sessionStates()).isEqualTo(Limits.SESSION_SNAPSHOTS_PER_SERVER_MAX);
        assertThat(world.pins.get()).isEqualTo(Limits.SESSION_SNAPSHOTS_PER_SERVER_MAX);
        assertThat(code(read(1, MINUTE, "kv.count@1", second))).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(count(read(0, MINUTE, "kv.count@1", first))).isEqualTo(1);
    }

    @Test
    void anActorHasSoManyStatesHeldAtMost() {
        world.actor(0, 1);
        world.actor(1, 1);
        long other = onlyVersion(hold(1, 0));
        long first = onlyVersion(hold(0, 0));
        long second = onlyVersion(hold(0, 1));
        for (int i = 2; i < Limits.SESSION_SNAPSHOTS_PER_ACTOR_MAX; i++) {
            hold(0, i);
        }
        assertThat(count(read(0, MINUTE, "kv.count@1", first))).isEqualTo(1);
        hold(0, 1_000);
        assertThat(code(read(1, MINUTE, "kv.count@1", second))).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(count(read(0, MINUTE, "kv.count@1", first))).isEqualTo(1);
        assertThat(world.pins.get()).isEqualTo(Limits.SESSION_SNAPSHOTS_PER_ACTOR_MAX + 1);
        ReadReply unread =
                read(new ReadRequest.SessionHold(7, 0, MINUTE), "kv.count@1", new ReadRequest.Target(1, 1, 0, other));
        assertThat(count(unread)).as("another actor's is still there").isEqualTo(1);
    }

    @Test
    void statesThatTakeTooManyBytesGoTheLongestUnreadFirst() {
        world.actor(0, 5_000);
        state(0, 50);
        long first = onlyVersion(hold(0, 0));
        for (int i = 1; i < 4; i++) {
            put(0, "more" + i);
            state(0, 50 + i);
            hold(0, i);
        }
        long present = onlyVersion(hold(0, 3));
        await().until(() -> world.service.sessionStatesTooLarge() > 0);
        assertThat(world.service.sessionBytes()).isBetween(1L, ReadWorld.SESSION_BYTES);
        assertThat(code(read(0, MINUTE, "kv.count@1", first))).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(count(read(3, MINUTE, "kv.count@1", present)))
                .as("the present state takes nothing")
                .isEqualTo(5_003);
    }

    @Test
    void sessionsThatReadOneStateShareItsView() {
        world.actor(0, 3);
        state(0, 50);
        long first = onlyVersion(hold(0, 0));
        for (int i = 1; i <= 2 * Limits.SESSION_SNAPSHOTS_PER_ACTOR_MAX; i++) {
            hold(0, i);
        }
        assertThat(world.pins.get()).as("one view").isEqualTo(1);
        put(0, "more");
        state(0, 51);
        long later = onlyVersion(hold(0, 1_000));
        assertThat(world.pins.get()).isEqualTo(2);
        assertThat(count(read(0, MINUTE, "kv.count@1", first))).isEqualTo(3);
        assertThat(count(read(1_000, MINUTE, "kv.count@1", later))).isEqualTo(4);
        for (int i = 0; i <= 2 * Limits.SESSION_SNAPSHOTS_PER_ACTOR_MAX; i++) {
            assertThat(read(i, MINUTE, ReadRequest.RELEASE, 0).failures()).isEmpty();
        }
        assertThat(world.pins.get()).as("the last one closes it").isEqualTo(1);
        hold(0, 0);
        assertThat(world.pins.get()).isEqualTo(1);
    }

    /** Holds the actor's state for a session of this number. */
    private ReadReply hold(int actor, long session) {
        return read(
                new ReadRequest.SessionHold(7, session, MINUTE),
                ReadRequest.HOLD,
                new ReadRequest.Target(actor, 1, 0, 0));
    }

    @Test
    void withoutHoldingALaterReadSeesTheSameStateOrNone() {
        world.actor(0, 3);
        world.actor(1, 4);
        state(0, 50);
        state(1, 51);
        ReadReply first = present("kv.count@1", 0, 0);
        assertThat(count(first)).isEqualTo(7);
        assertThat(first.parts().get(0).versions()).containsExactly(50L, 51L);
        assertThat(world.service.sessionStates()).isZero();
        assertThat(world.pins.get()).isZero();
        ReadReply again = present("kv.count@1", 50, 51);
        assertThat(count(again)).isEqualTo(7);
        assertThat(again.parts().get(0).versions()).containsExactly(50L, 51L);
        put(0, "more");
        state(0, 52);
        assertThat(code(present("kv.count@1", 50))).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(present("kv.count@1", 50, 51).parts())
                .as("what has not changed is read")
                .singleElement()
                .satisfies(part -> assertThat(part.actors()).containsExactly(1));
        assertThat(onlyVersion(present("kv.count@1", 0))).isEqualTo(52);
    }

    @Test
    void whatChangesWhileItIsReadIsNoState() {
        world.actor(0, 3);
        state(0, 50);
        world.operator("slow", (actor, context) -> {
            world.states.remove(actor);
            return Bytes.EMPTY;
        });
        world.operator("whole", (actor, context) -> {
            world.states.put(actor, 60L);
            return Bytes.EMPTY;
        });
        assertThat(onlyVersion(present("slow", 0))).as("it is being changed").isZero();
        assertThat(onlyVersion(present("kv.count@1", 0))).isZero();
        assertThat(code(present("kv.count@1", 50))).isEqualTo(ErrorCode.VERSION_GONE);
        state(0, 50);
        assertThat(onlyVersion(present("whole", 0))).as("a whole change").isZero();
        state(0, 50);
        assertThat(code(present("whole", 50))).as("a later read").isEqualTo(ErrorCode.VERSION_GONE);
    }

    @Test
    void withoutHoldingALaterReadNeedsNoGateButTheReplica() {
        world.actor(0, 3);
        state(0, 50);
        world.gates.remove(new ReplicaKey(TABLE_ID, 0));
        assertThat(code(present("kv.count@1", 0))).as("a first one does").isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        assertThat(count(present("kv.count@1", 50))).isEqualTo(3);
        world.actors.remove(new ReplicaKey(TABLE_ID, 0));
        assertThat(code(present("kv.count@1", 50))).isEqualTo(ErrorCode.VERSION_GONE);
    }

    private void state(int actor, long number) {
        world.states.put(Objects.requireNonNull(world.actors.get(new ReplicaKey(TABLE_ID, actor))), number);
    }

    private ReadReply present(String operator, long... versions) {
        return read(new ReadRequest.SessionHold(0, 0, MINUTE, true), operator, versions);
    }

    private void put(int actor, String id) {
        KvActor kv = Objects.requireNonNull(world.actors.get(new ReplicaKey(TABLE_ID, actor)));
        KvUpdateFunctions.PUT.update(kv, new UpdateContext(2), List.of(new Document("id", Map.of("id", id))));
    }

    private ReadReply read(long session, long nanos, String operator, long... versions) {
        return read(new ReadRequest.SessionHold(7, session, nanos), operator, versions);
    }

    private ReadReply read(ReadRequest.SessionHold session, String operator, long... versions) {
        ReadRequest.Target[] targets = new ReadRequest.Target[versions.length];
        for (int actor = 0; actor < versions.length; actor++) {
            targets[actor] = new ReadRequest.Target(actor, 1, 0, versions[actor]);
        }
        return read(session, operator, targets);
    }

    private ReadReply read(ReadRequest.SessionHold session, String operator, ReadRequest.Target... targets) {
        Bytes parameters = !operator.equals(ReadRequest.HOLD) && !operator.equals(ReadRequest.RELEASE)
                ? Codecs.STRING.encode("")
                : Bytes.EMPTY;
        return world.read(new ReadRequest(
                ReadWorld.TABLE,
                TABLE_ID,
                List.of(targets),
                operator,
                parameters,
                1,
                2,
                0,
                20 * ReadWorld.SECOND,
                ReadMode.LINEARIZABLE,
                List.of(),
                Optional.of(session)));
    }

    private static long onlyVersion(ReadReply reply) {
        assertThat(reply.parts()).hasSize(1);
        assertThat(reply.parts().get(0).versions()).hasSize(1);
        return reply.parts().get(0).versions().get(0);
    }

    private static long count(ReadReply reply) {
        assertThat(reply.failures()).isEmpty();
        return Codecs.LONG.decode(reply.parts().get(0).value());
    }

    private static ErrorCode code(ReadReply reply) {
        assertThat(reply.failures()).hasSize(1);
        return reply.failures().get(0).code();
    }
}
