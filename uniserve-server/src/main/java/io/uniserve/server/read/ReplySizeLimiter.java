package io.uniserve.server.read;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadReply;
import java.util.List;

/** Limit on the size of a reply with one part per actor. */
final class ReplySizeLimiter {
    private ReplySizeLimiter() {}

    /** Adds a part per value. Values beyond the limit fail with RESOURCE_EXHAUSTED, so that the client requests them separately. */
    static void addBounded(
            List<Integer> actors, List<Object> values, List<ReadReply.Part> parts, List<ActorFailure> failures) {
        long total = 0;
        for (int i = 0; i < actors.size(); i++) {
            Bytes value = (Bytes) values.get(i);
            total += value.size();
            if (total <= Limits.RESULT_BYTES_PER_REPLY_MAX) {
                parts.add(new ReadReply.Part(List.of(actors.get(i)), value));
            } else {
                total -= value.size();
                failures.add(new ActorFailure(
                        actors.get(i),
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "the reply is full: " + Limits.RESULT_BYTES_PER_REPLY_MAX + " bytes",
                        0));
            }
        }
    }
}
