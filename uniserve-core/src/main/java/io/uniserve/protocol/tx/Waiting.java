package io.uniserve.protocol.tx;

import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.TableLog.Batch;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateReply.ActorAck;
import io.uniserve.protocol.message.UpdateRequest;
import java.util.ArrayList;
import java.util.List;

/** A client's atomic update at its driver, and who wait for its outcome: the client may have asked more than once. */
final class Waiting {
    final UpdateRequest request;
    final Batch batch;
    final long bytes;
    long deadlineNanos;
    private final List<Completion<UpdateReply>> callers = new ArrayList<>();

    Waiting(UpdateRequest request, long deadlineNanos) {
        this.request = request;
        this.batch = new Batch(request.request(), contentHash(request));
        this.deadlineNanos = deadlineNanos;
        this.bytes =
                request.actors().stream().mapToLong(rows -> rows.rows().size()).sum();
    }

    /** What tells one content from another; epochs do not belong to it. */
    static String contentHash(UpdateRequest request) {
        List<Bytes> parts = new ArrayList<>();
        parts.add(new BinaryWriter()
                .writeLong(request.tableId())
                .writeString(request.function())
                .toBytes());
        request.actors().forEach(rows -> {
            parts.add(new BinaryWriter(16)
                    .writeInt(rows.actor())
                    .writeInt(rows.rows().size())
                    .toBytes());
            parts.add(rows.rows());
        });
        return Sha256.hex(parts);
    }

    void join(Completion<UpdateReply> caller) {
        callers.add(caller);
    }

    void committed(long version, boolean duplicate) {
        answer(new UpdateReply(
                request.actors().stream()
                        .map(rows -> new ActorAck(rows.actor(), 0, version, duplicate))
                        .toList(),
                List.of()));
    }

    void failed(ErrorCode code, String message) {
        answer(new UpdateReply(
                List.of(),
                request.actors().stream()
                        .map(rows -> new ActorFailure(rows.actor(), code, message, 0))
                        .toList()));
    }

    private void answer(UpdateReply reply) {
        List<Completion<UpdateReply>> told = List.copyOf(callers);
        callers.clear();
        told.forEach(caller -> caller.done(Outcome.ok(reply)));
    }
}
