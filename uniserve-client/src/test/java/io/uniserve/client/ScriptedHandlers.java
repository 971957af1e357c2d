package io.uniserve.client;

import io.uniserve.api.Document;
import io.uniserve.api.plan.Answer;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import java.util.ArrayList;
import java.util.List;

/** Handlers of a scripted server: operator {@code rows@1} returns an actor's rows, any update appends rows. */
final class ScriptedHandlers {
    private static final Timers.Cancel NOTHING = () -> {};

    private final ScriptedCluster cluster;
    private final ScriptedCluster.Node node;

    ScriptedHandlers(ScriptedCluster cluster, ScriptedCluster.Node node) {
        this.cluster = cluster;
        this.node = node;
    }

    Timers.Cancel read(ReadRequest request, Completion<ReadReply> completion) {
        node.reads.incrementAndGet();
        ErrorCode error = node.readError;
        if (node.silent) {
            return NOTHING;
        }
        if (error != null) {
            completion.done(Outcome.err(new UniserveException(error, "scripted")));
        } else if (!request.operator().equals("rows@1")) {
            completion.done(Outcome.err(
                    new UniserveException(ErrorCode.UNKNOWN_OPERATOR, "no operator " + request.operator())));
        } else {
            List<ReadReply.Part> parts = new ArrayList<>();
            for (ReadRequest.Target target : request.targets()) {
                List<Document> rows = cluster.rows(request.table().value(), target.actor());
                parts.add(new ReadReply.Part(List.of(target.actor()), ScriptedCluster.ROWS.encode(rows)));
            }
            completion.done(Outcome.ok(new ReadReply(parts, List.of(), 1)));
        }
        return NOTHING;
    }

    void update(UpdateRequest request, Completion<UpdateReply> completion) {
        cluster.updateCalls.incrementAndGet();
        if (node.silent) {
            return;
        }
        List<UpdateReply.ActorAck> acks = new ArrayList<>();
        for (UpdateRequest.ActorRows rows : request.actors()) {
            List<Document> documents = Codecs.list(Document.CODEC).decode(rows.rows());
            boolean first =
                    cluster.store(request.request().toString(), request.table().value(), rows.actor(), documents);
            acks.add(new UpdateReply.ActorAck(rows.actor(), rows.epoch(), cluster.index(), !first));
        }
        completion.done(Outcome.ok(new UpdateReply(acks, List.of())));
    }

    Timers.Cancel query(QueryRequest request, Completion<Answer> completion) {
        if (node.silent) {
            return NOTHING;
        }
        int count = cluster.rows(request.table().value()).size();
        completion.done(Outcome.ok(ScriptedCluster.text(request.text() + " " + count)));
        return NOTHING;
    }
}
