package io.uniserve.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.time.SystemClock;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopbackNetworkTest {
    private static final Address SELF = new Address("here", 1);
    private static final PeerRequest REQUEST = new PeerRequest.IsCommitInvisible(new TableName("t"), 1, 2);

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final EventLoop loop = new EventLoop("near", SystemClock.INSTANCE, failure::set);
    private final List<Address> wired = new CopyOnWriteArrayList<>();
    private final Network wire = (to, request, timeout, completion) -> wired.add(to);
    private final LoopbackNetwork network = new LoopbackNetwork(SELF, wire, loop);

    @AfterEach
    void close() {
        loop.close();
        assertThat(failure.get()).isNull();
    }

    private CompletableFuture<Outcome<PeerReply>> call(Address to, long timeoutNanos) {
        CompletableFuture<Outcome<PeerReply>> heard = new CompletableFuture<>();
        loop.execute(() -> network.call(to, REQUEST, timeoutNanos, outcome -> {
            assertThat(loop.isLoopThread()).isTrue();
            heard.complete(outcome);
        }));
        return heard;
    }

    @Test
    void aRequestToItselfIsAnsweredHere() {
        network.setHandler((request, completion) -> {
            assertThat(request).isEqualTo(REQUEST);
            completion.done(Outcome.ok(new PeerReply.Ack()));
        });
        assertThat(call(SELF, 60_000_000_000L).join()).isEqualTo(Outcome.ok(new PeerReply.Ack()));
        assertThat(wired).isEmpty();
    }

    @Test
    void othersAreAskedOverTheWire() {
        Address other = new Address("there", 1);
        network.setHandler((request, completion) -> completion.done(Outcome.ok(new PeerReply.Ack())));
        CompletableFuture<Outcome<PeerReply>> heard = call(other, 1);
        assertThat(call(SELF, 60_000_000_000L).join()).isInstanceOf(Outcome.Ok.class);
        assertThat(wired).containsExactly(other);
        assertThat(heard).isNotDone();
    }

    @Test
    void anAnswerThatComesTooLateIsNone() {
        AtomicReference<Runnable> late = new AtomicReference<>(() -> {});
        network.setHandler((request, completion) -> late.set(() -> completion.done(Outcome.ok(new PeerReply.Ack()))));
        Outcome<PeerReply> outcome = call(SELF, 1).join();
        assertThat(outcome.toString()).contains(ErrorCode.DEADLINE_EXCEEDED.name());
        Objects.requireNonNull(late.get()).run();
    }
}
