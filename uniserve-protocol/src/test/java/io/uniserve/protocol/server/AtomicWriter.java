package io.uniserve.protocol.server;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.ClientState;
import io.uniserve.protocol.client.routing.RequestSettings;
import io.uniserve.protocol.client.routing.RoutingPolicy;
import io.uniserve.protocol.client.transaction.AtomicUpdateRequest;
import io.uniserve.protocol.client.transaction.VersionWatermarks;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** New client that sends updates. */
final class AtomicWriter implements ClientNetwork {
    private final AtomicCluster atomic;
    private final RequestTracker tracker;
    final VersionWatermarks floors = new VersionWatermarks();
    /** Requests that arrived. */
    final List<UpdateRequest> sent = new ArrayList<>();
    /** Requests that are lost. */
    Predicate<UpdateRequest> lost = request -> false;
    /** Requests with lost answers. */
    Predicate<UpdateRequest> unanswered = request -> false;

    AtomicWriter(AtomicCluster atomic) {
        this.atomic = atomic;
        this.tracker = new RequestTracker(() -> atomic.cluster.ids++);
    }

    /** Sends an update. The list gets the outcome. */
    List<Outcome<Long>> begin(long stagedFrom, long seconds, Map<Integer, String> rows) {
        Cluster cluster = atomic.cluster;
        List<Update.ActorBatch> batches = new ArrayList<>();
        rows.forEach((actor, text) -> batches.add(new Update.ActorBatch(actor, 1, Bytes.utf8(text))));
        Update update = new Update(
                Cluster.T,
                cluster.map().tableId(),
                "put@1",
                AckLevel.ISR,
                batches,
                cluster.loop.nanos() + seconds * Cluster.SECOND);
        ClientContext environment = new ClientContext(
                cluster.loop,
                cluster.loop,
                this,
                atomic.reader(),
                () -> cluster.ids++,
                ClientState.of(RequestSettings.defaults(), RoutingPolicy.weighted()));
        List<Outcome<Long>> outcome = new ArrayList<>();
        RequestTracker.Ticket ticket = tracker.nextRequest().orElseThrow();
        new AtomicUpdateRequest(
                        environment,
                        (to, asked, timeout, completion) -> cluster.loop.soon(() -> atomic.cut(to, asked, completion)),
                        floors,
                        update,
                        ticket,
                        outcome::add)
                .stagingLimits(stagedFrom, 1)
                .start();
        return outcome;
    }

    /** Sends an update and waits for its version. */
    long write(long stagedFrom, Map<Integer, String> rows) {
        return version(begin(stagedFrom, 60, rows));
    }

    long version(List<Outcome<Long>> outcome) {
        atomic.cluster.await(() -> !outcome.isEmpty(), 61);
        if (outcome.get(0) instanceof Outcome.Ok<Long> ok) {
            return ok.value();
        }
        throw new AssertionError("not committed: " + outcome.get(0));
    }

    @Override
    public void requestChunkGeneration(
            Address to, TableName table, long timeoutNanos, Completion<ConsistentSnapshot> completion) {
        atomic.cut(to, List.of(table), completion);
    }

    @Override
    public void update(Address to, UpdateRequest request, long timeoutNanos, Completion<UpdateReply> completion) {
        boolean[] done = {false};
        Completion<UpdateReply> once = outcome -> {
            if (!done[0]) {
                done[0] = true;
                completion.done(outcome);
            }
        };
        Timers.Cancel unused = atomic.cluster.loop.after(
                timeoutNanos,
                () -> once.done(Outcome.err(new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "no answer in time"))));
        if (!lost.test(request)) {
            sent.add(request);
            atomic.cluster.loop.soon(() -> atomic.update(to, request, outcome -> {
                if (!unanswered.test(request)) {
                    atomic.cluster.loop.soon(() -> once.done(outcome));
                }
            }));
        }
    }

    @Override
    public Timers.Cancel read(Address to, ReadRequest request, Completion<ReadReply> completion) {
        throw new UniserveException(ErrorCode.UNSUPPORTED, "this client writes");
    }
}
