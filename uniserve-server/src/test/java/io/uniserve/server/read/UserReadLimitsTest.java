package io.uniserve.server.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.WholeQueryOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleLimit;
import io.uniserve.model.access.UserLimits;
import io.uniserve.port.kv.KvActor;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Limits of users at the read service: bytes of results, time, and rows of a whole query. */
class UserReadLimitsTest {
    private final ReadWorld world = new ReadWorld();

    @AfterEach
    void close() {
        await().until(() -> world.pins.get() == 0);
        world.close();
    }

    private void limit(LimitKind kind, long value) {
        world.limits = UserLimits.of(List.of(Role.READER), List.of(new RoleLimit(Role.READER, kind, value)));
    }

    private CompletableFuture<Outcome<ReadReply>> start(String user, ReadRequest request) {
        CompletableFuture<Outcome<ReadReply>> future = new CompletableFuture<>();
        Timers.Cancel unused = world.service.onBehalfOf(user).read(request, future::complete);
        return future;
    }

    private ReadReply read(String user, ReadRequest request) {
        return ((Outcome.Ok<ReadReply>) start(user, request).join()).value();
    }

    @Test
    void resultsOfAUserAreLimitedTogetherAndReleased() throws Exception {
        world.actor(0, 1);
        world.actor(1, 1);
        limit(LimitKind.RESULT_BYTES, 100);
        CountDownLatch holding = new CountDownLatch(1);
        CountDownLatch reading = new CountDownLatch(1);
        world.operator("small@1", (actor, context) -> Bytes.wrap(new byte[60]));
        world.operator("held@1", (actor, context) -> {
            if (context.actor() == 1) {
                reading.countDown();
                awaitQuietly(holding);
            }
            return Bytes.wrap(new byte[30]);
        });
        assertThat(read("ann", ReadWorld.request("small@1", "", 0)).failures()).isEmpty();
        assertThat(world.service.userMemory().used("ann")).isZero();
        assertThat(read("ann", ReadWorld.request("small@1", "", 0, 1)).failures())
                .singleElement()
                .satisfies(failure -> {
                    assertThat(failure.code()).as("never fits").isEqualTo(ErrorCode.TOO_LARGE);
                    assertThat(failure.message()).contains("user ann", "result-bytes = 100 of role reader");
                });
        CompletableFuture<Outcome<ReadReply>> held = start("ann", ReadWorld.request("held@1", "", 0, 1));
        try {
            reading.await();
            await().until(() -> world.service.userMemory().used("ann") == 34); // 30 bytes and their count
            limit(LimitKind.RESULT_BYTES, 90);
            assertThat(read("ann", ReadWorld.request("small@1", "", 0)).failures())
                    .as("fits later")
                    .extracting(ActorFailure::code)
                    .containsExactly(ErrorCode.RESOURCE_EXHAUSTED);
            assertThat(read("bob", ReadWorld.request("small@1", "", 0)).failures())
                    .as("another user")
                    .isEmpty();
        } finally {
            holding.countDown();
        }
        held.join();
        assertThat(world.service.userMemory().used("ann")).isZero();
        assertThat(world.service.resultMemory().used()).isZero();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aReadEndsAtTheLimitOfItsUserAndNamesIt() {
        world.actor(0, 1);
        limit(LimitKind.DEADLINE_MS, 20);
        world.operator("slow@1", (actor, context) -> {
            while (true) {
                context.checkActive();
                Thread.onSpinWait();
            }
        });
        assertThat(read("ann", ReadWorld.request("slow@1", "", 0)).failures())
                .extracting(ActorFailure::code, ActorFailure::message)
                .singleElement()
                .satisfies(failure -> assertThat(failure.toString())
                        .contains("QUERY_KILLED", "longer than the limit deadline-ms = 20 of role reader"));
    }

    @Test
    void rowsOfAWholeQueryAreLimited() {
        world.actor(0, 1);
        limit(LimitKind.ANSWER_ROWS, 2);
        world.extra.put(
                "whole@1",
                WholeQueryOperator.operator(
                        "whole@1",
                        KvActor.class,
                        (actor, context, text) ->
                                new Answer("text/plain", Bytes.utf8(text)).withRows(Long.parseLong(text))));
        assertThat(whole("2")).isEmpty();
        assertThat(whole("3")).singleElement().satisfies(failure -> {
            assertThat(failure.code()).isEqualTo(ErrorCode.TOO_LARGE);
            assertThat(failure.message()).contains("answer-rows = 2 of role reader", "3 rows");
        });
        assertThat(whole("-1")).extracting(ActorFailure::code).containsExactly(ErrorCode.UNSUPPORTED);
        world.limits = UserLimits.NONE;
        assertThat(whole("-1")).isEmpty();
    }

    private List<ActorFailure> whole(String text) {
        return read("ann", ReadWorld.request("whole@1", text, 0)).failures();
    }
}
