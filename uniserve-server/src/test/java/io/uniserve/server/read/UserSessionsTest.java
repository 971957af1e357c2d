package io.uniserve.server.read;

import static io.uniserve.server.read.ReadWorld.TABLE_ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** States of sessions of several users at one read service: one greedy user beside others. */
class UserSessionsTest {
    private static final long MINUTE = 60 * ReadWorld.SECOND;
    private static final int STATES = Limits.SESSION_SNAPSHOTS_PER_SERVER_MAX;
    private static final int VIEWS = Limits.SESSION_SNAPSHOTS_PER_ACTOR_MAX;

    private final ReadWorld world = new ReadWorld();
    private long stateNumber = 100;

    @AfterEach
    void close() {
        world.service.close();
        assertThat(world.pins.get()).as("closing releases all actors").isZero();
        world.close();
    }

    @Test
    void aUserWithTenTimesTheLimitOfStatesTakesNoneOfAnother() {
        world.actor(0, 1);
        state(0);
        List<Long> small = new ArrayList<>();
        for (int session = 0; session < STATES / 2; session++) {
            small.add(hold("ann", 0, session));
        }
        for (int session = 0; session < 10 * STATES; session++) {
            hold("greedy", 0, session);
        }
        assertThat(world.service.sessionStates()).isEqualTo(STATES);
        for (int session = 0; session < STATES / 2; session++) {
            assertThat(read("ann", 0, session, small.get(session)).failures()).isEmpty();
        }
        long last = hold("greedy", 0, 10 * STATES - 1);
        assertThat(read("greedy", 0, 10 * STATES - 1, last).failures()).isEmpty();
        hold("bob", 0, 0);
        assertThat(world.service.sessionStates()).isEqualTo(STATES);
    }

    @Test
    void inModeOpenNamesOfClientsMakeNoDifference() {
        world.open = true;
        world.actor(0, 1);
        state(0);
        long first = hold("ann", 0, -1);
        assertThat(hold("bob", 0, -1)).as("the session of that number").isEqualTo(first);
        assertThat(read("bob", 0, -1, first).failures()).isEmpty();
        for (int session = 0; session < STATES; session++) {
            hold("greedy", 0, session);
        }
        assertThat(code("ann", 0, -1, first)).isEqualTo(ErrorCode.VERSION_GONE);
    }

    @Test
    void anotherUserNeitherReadsNorReleasesASessionByItsNumber() {
        world.actor(0, 3);
        state(0);
        long version = hold("ann", 0, 1);
        assertThat(code("bob", 0, 1, version)).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(code("", 0, 1, version)).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(send("bob", 0, 1, ReadRequest.RELEASE, 0).failures()).isEmpty();
        assertThat(hold("bob", 0, 1)).as("a session of its own").isNotEqualTo(version);
        assertThat(send("bob", 0, 1, ReadRequest.RELEASE, 0).failures()).isEmpty();
        assertThat(world.service.sessionStates()).isEqualTo(1);
        assertThat(read("ann", 0, 1, version).failures()).isEmpty();
        assertThat(send("ann", 0, 1, ReadRequest.RELEASE, 0).failures()).isEmpty();
        assertThat(world.service.sessionStates()).isZero();
        assertThat(world.pins.get()).isZero();
    }

    @Test
    void viewsOfAnActorAreTakenFromTheUserWithTheMost() {
        world.actor(0, 1);
        List<Long> small = new ArrayList<>();
        long shared = 0;
        for (int session = 0; session < VIEWS / 2; session++) {
            state(0);
            small.add(hold("ann", 0, session));
            shared = session == 0 ? hold("greedy", 0, -1) : shared;
        }
        for (int session = 0; session < 2 * VIEWS; session++) {
            state(0);
            hold("greedy", 0, session);
        }
        assertThat(world.pins.get()).isEqualTo(VIEWS);
        for (int session = 0; session < VIEWS / 2; session++) {
            assertThat(read("ann", 0, session, small.get(session)).failures()).isEmpty();
        }
        assertThat(read("greedy", 0, -1, shared).failures())
                .as("shares the view of a lighter user")
                .isEmpty();
    }

    @Test
    void bytesAreTakenFromTheUserWithTheMost() {
        world.actor(0, 5_000);
        world.actor(1, 100);
        state(0);
        state(1);
        long small = hold("ann", 1, 0);
        world.put(1, "another");
        state(1);
        long first = hold("greedy", 0, 0);
        for (int session = 1; session < 4; session++) {
            world.put(0, "more" + session);
            state(0);
            hold("greedy", 0, session);
        }
        await().until(() -> world.service.sessionStatesTooLarge() > 0);
        assertThat(world.service.sessionBytes()).isBetween(1L, ReadWorld.SESSION_BYTES);
        assertThat(read("ann", 1, 0, small).failures())
                .as("the oldest of all, but a small one")
                .isEmpty();
        assertThat(code("greedy", 0, 0, first)).isEqualTo(ErrorCode.VERSION_GONE);
    }

    /** Marks the actor's contents as another state. */
    private void state(int actor) {
        world.states.put(Objects.requireNonNull(world.actors.get(new ReplicaKey(TABLE_ID, actor))), ++stateNumber);
    }

    private long hold(String user, int actor, long session) {
        ReadReply reply = send(user, actor, session, ReadRequest.HOLD, 0);
        assertThat(reply.failures()).isEmpty();
        return reply.parts().get(0).versions().get(0);
    }

    private ReadReply read(String user, int actor, long session, long version) {
        return send(user, actor, session, "kv.count@1", version);
    }

    private ErrorCode code(String user, int actor, long session, long version) {
        List<ActorFailure> failures = read(user, actor, session, version).failures();
        assertThat(failures).hasSize(1);
        return failures.get(0).code();
    }

    private ReadReply send(String user, int actor, long session, String operator, long version) {
        boolean own = operator.equals(ReadRequest.HOLD) || operator.equals(ReadRequest.RELEASE);
        ReadRequest request = new ReadRequest(
                ReadWorld.TABLE,
                TABLE_ID,
                List.of(new ReadRequest.Target(actor, 1, 0, version)),
                operator,
                own ? Bytes.EMPTY : Codecs.STRING.encode(""),
                1,
                2,
                0,
                20 * ReadWorld.SECOND,
                ReadMode.LINEARIZABLE,
                List.of(),
                Optional.of(new ReadRequest.SessionHold(7, session, MINUTE)));
        CompletableFuture<Outcome<ReadReply>> future = new CompletableFuture<>();
        Timers.Cancel unused = world.service.onBehalfOf(user).read(request, future::complete);
        return ((Outcome.Ok<ReadReply>) future.join()).value();
    }
}
