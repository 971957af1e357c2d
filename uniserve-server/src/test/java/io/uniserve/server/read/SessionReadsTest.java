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
import io.uniserve.port.kv.KvUpdates;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.message.ReadReply;
import io.uniserve.protocol.message.ReadRequest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads of sessions against a real service over key-value actors. */
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
        world.actor(0, 1);
        long first = onlyVersion(read(0, MINUTE, "kv.count@1", 0));
        long second = onlyVersion(read(1, MINUTE, "kv.count@1", 0));
        for (int i = 2; i < Limits.SESSION_SNAPSHOTS_PER_SERVER_MAX; i++) {
            read(i, MINUTE, ReadRequest.HOLD, 0);
        }
        assertThat(count(read(0, MINUTE, "kv.count@1", first))).isEqualTo(1);
        read(Limits.SESSION_SNAPSHOTS_PER_SERVER_MAX, MINUTE, ReadRequest.HOLD, 0);
        assertThat(world.service.sessionStates()).isEqualTo(Limits.SESSION_SNAPSHOTS_PER_SERVER_MAX);
        assertThat(world.pins.get()).isEqualTo(Limits.SESSION_SNAPSHOTS_PER_SERVER_MAX);
        assertThat(code(read(1, MINUTE, "kv.count@1", second))).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(count(read(0, MINUTE, "kv.count@1", first))).isEqualTo(1);
    }

    private void put(int actor, String id) {
        KvActor kv = Objects.requireNonNull(world.actors.get(new ReplicaKey(TABLE_ID, actor)));
        KvUpdates.PUT.update(kv, new UpdateContext(2), List.of(new Document("id", Map.of("id", id))));
    }

    private ReadReply read(long session, long nanos, String operator, long... versions) {
        ReadRequest.Target[] targets = new ReadRequest.Target[versions.length];
        for (int actor = 0; actor < versions.length; actor++) {
            targets[actor] = new ReadRequest.Target(actor, 1, 0, versions[actor]);
        }
        Bytes parameters = operator.startsWith("kv.") ? Codecs.STRING.encode("") : Bytes.EMPTY;
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
                Optional.of(new ReadRequest.Hold(7, session, nanos))));
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
