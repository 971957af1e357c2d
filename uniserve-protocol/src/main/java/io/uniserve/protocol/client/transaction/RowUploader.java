package io.uniserve.protocol.client.transaction;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.query.QueryActors;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.StagedRowsRef;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.UpdateRequest.ActorRows;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Uploader that stages the rows of one large atomic update at the primaries of their actors. It uses all servers in parallel, with one
 * message at a time per server. Each primary replies with the hashes of the rows that it stores. Not thread-safe; the completion is called
 * exactly once.
 */
final class RowUploader {
    private final ClientContext env;
    private final Template template;
    private final Completion<List<ActorRows>> completion;
    private final List<ActorRows> staged = new ArrayList<>();
    private int actors;
    private boolean completed;

    /** Builds the request that stages these rows. */
    interface Template {
        UpdateRequest request(List<ActorRows> rows);
    }

    /** @param completion called with the actors and a reference to the staged rows of each, in any order */
    RowUploader(ClientContext env, Template template, Completion<List<ActorRows>> completion) {
        this.env = env;
        this.template = template;
        this.completion = completion;
    }

    /** @param messageBytes limit of a message with rows of several actors */
    void start(RouteIndex index, TableRoute route, List<ActorRows> rows, long messageBytes, long timeoutNanos) {
        Map<ServerId, Deque<List<ActorRows>>> messages = new TreeMap<>();
        actors = rows.size();
        for (ActorRows actor : rows) {
            ActorState state = route.map().find(actor.actor());
            if (QueryActors.isExpired(route, actor.actor())) {
                // no primary stores the rows: the transaction manager finds out whether an earlier attempt was
                // committed
                staged.add(new ActorRows(
                        actor.actor(),
                        0,
                        Bytes.EMPTY,
                        new StagedRowsRef(actor.rows().size(), Sha256.hex(actor.rows()))));
                continue;
            }
            if (state == null) {
                boolean mayAppear = route.meta().partitioner() instanceof Partitioner.Time;
                fail(
                        mayAppear ? ErrorCode.UNAVAILABLE : ErrorCode.INVALID_ARGUMENT,
                        "the table has " + route.map().describeNumbers());
                return;
            }
            ServerId primary = state.primary();
            if (index.address(primary).isEmpty()) {
                fail(ErrorCode.UNAVAILABLE, "the primary of actor " + actor.actor() + " is not alive");
                return;
            }
            add(messages.computeIfAbsent(primary, server -> new ArrayDeque<>()), actor, messageBytes);
        }
        if (messages.isEmpty()) {
            end(Outcome.ok(List.copyOf(staged)));
        }
        messages.forEach((server, queue) -> send(index.address(server).orElseThrow(), server, queue, timeoutNanos));
    }

    private static void add(Deque<List<ActorRows>> queue, ActorRows actor, long messageBytes) {
        List<ActorRows> last = queue.peekLast();
        long bytes =
                last == null ? 0 : last.stream().mapToLong(ActorRows::bytes).sum();
        if (last == null || bytes + actor.bytes() > messageBytes) {
            last = new ArrayList<>();
            queue.add(last);
        }
        last.add(actor);
    }

    /** Sends no more messages and does not call the completion. */
    void stop() {
        completed = true;
    }

    private void send(Address address, ServerId server, Deque<List<ActorRows>> queue, long timeoutNanos) {
        List<ActorRows> next = queue.poll();
        if (next == null || completed) {
            return;
        }
        env.network().update(address, template.request(next), timeoutNanos, outcome -> {
            if (!completed) {
                onReply(server, next, outcome);
                send(address, server, queue, timeoutNanos);
            }
        });
    }

    private void onReply(ServerId server, List<ActorRows> sent, Outcome<UpdateReply> outcome) {
        if (outcome instanceof Outcome.Err<UpdateReply> err) {
            ErrorCode code = err.error().code();
            boolean silent = code == ErrorCode.DEADLINE_EXCEEDED || code == ErrorCode.CANCELLED;
            // a time-out does not leave the outcome open: staging applies nothing
            fail(silent ? ErrorCode.UNAVAILABLE : code, err.error().reason());
            return;
        }
        Map<Integer, StagedRowsRef> kept = new TreeMap<>();
        outcome.value().staged().forEach(actor -> kept.put(actor.actor(), actor.rows()));
        for (ActorRows rows : sent) {
            StagedRowsRef here = kept.get(rows.actor());
            if (here == null || here.bytes() != rows.bytes()) {
                fail(ErrorCode.UNAVAILABLE, "server " + server + " did not store the rows of actor " + rows.actor());
                return;
            }
            staged.add(new ActorRows(rows.actor(), 0, Bytes.EMPTY, here));
        }
        if (staged.size() == actors) {
            end(Outcome.ok(List.copyOf(staged)));
        }
    }

    private void fail(ErrorCode code, String reason) {
        end(Outcome.err(new UniserveException(code, "could not stage rows: " + reason)));
    }

    private void end(Outcome<List<ActorRows>> outcome) {
        completed = true;
        completion.done(outcome);
    }
}
