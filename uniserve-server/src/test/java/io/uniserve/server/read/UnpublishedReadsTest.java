package io.uniserve.server.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads of actors with unpublished updates. */
class UnpublishedReadsTest {
    private final ReadWorld world = new ReadWorld(1, 100, 256L << 20);

    @AfterEach
    void close() {
        await().until(() -> world.pins.get() == 0);
        assertThat(world.fatal.get()).isNull();
        world.close();
    }

    @Test
    void theyWaitWithoutAThreadUntilAllIsPublished() {
        world.actor(0, 3);
        world.actor(1, 4);
        world.unpublish();
        CompletableFuture<Outcome<ReadReply>> first = world.start(ReadWorld.request("kv.count@1", "", 0, 1));
        CompletableFuture<Outcome<ReadReply>> second = world.start(ReadWorld.request("kv.count@1", "", 1));
        await().until(() -> world.waiting.size() == 3);
        assertThat(first).isNotDone();
        assertThat(world.pins.get()).isZero();
        world.publish(true);
        assertThat(count(first)).isEqualTo(7);
        assertThat(count(second)).isEqualTo(4);
    }

    @Test
    void aBriefOneDoesNotHoldTheTransport() {
        world.actor(0, 1);
        world.brief("one@1", (actor, context) -> Bytes.utf8("one"));
        for (int i = 0; i < 2 * OperatorTimeEstimator.SAMPLES_MIN; i++) {
            world.read(ReadWorld.request("one@1", "", 0));
        }
        world.unpublish();
        CompletableFuture<Outcome<ReadReply>> read = world.start(ReadWorld.request("one@1", "", 0));
        await().until(() -> world.waiting.size() == 1);
        assertThat(read).isNotDone();
        world.publish(true);
        assertThat(reply(read).parts()).hasSize(1);
    }

    @Test
    void theyEndAtTheirDeadline() {
        world.actor(0, 3);
        world.unpublish();
        ReadReply reply = world.read(ReadWorld.request(
                "kv.count@1", Codecs.STRING.encode(""), ReadWorld.SECOND / 50, new ReadRequest.Target(0, 1, 0)));
        assertThat(reply.failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
        world.publish(true);
    }

    @Test
    void theyFailOverWhereItCannotBePublished() {
        world.actor(0, 3);
        world.unpublish();
        CompletableFuture<Outcome<ReadReply>> read = world.start(ReadWorld.request("kv.count@1", "", 0));
        await().until(() -> world.waiting.size() == 1);
        world.publish(false);
        assertThat(reply(read).failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    @Test
    void staleOnesReadWhatIsPublished() {
        world.actor(0, 3);
        world.unpublish();
        ReadRequest request = new ReadRequest(
                ReadWorld.TABLE,
                ReadWorld.TABLE_ID,
                List.of(new ReadRequest.Target(0, 1, 0)),
                "kv.count@1",
                Codecs.STRING.encode(""),
                1,
                2,
                0,
                20 * ReadWorld.SECOND,
                ReadMode.STALE);
        Bytes value = world.read(request).parts().get(0).value();
        assertThat(Codecs.LONG.decode(value)).isEqualTo(3);
        assertThat(world.waiting).isEmpty();
    }

    private static ReadReply reply(CompletableFuture<Outcome<ReadReply>> read) {
        return ((Outcome.Ok<ReadReply>) read.join()).value();
    }

    private static long count(CompletableFuture<Outcome<ReadReply>> read) {
        assertThat(reply(read).failures()).isEmpty();
        return Codecs.LONG.decode(reply(read).parts().get(0).value());
    }
}
