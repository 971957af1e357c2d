package io.uniserve.protocol.client.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadReply;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Merges replies so that each actor counts exactly once. A part counts only if all its actors were in the request and none has an answer
 * yet. Else the whole part is discarded, because a merged value cannot be split. Its actors without an answer are then queried again.
 */
final class ReplyAccumulator {
    private final QueryTargets slots;
    private final List<ReadReply.Part> accepted;

    ReplyAccumulator(QueryTargets slots, List<ReadReply.Part> accepted) {
        this.slots = slots;
        this.accepted = accepted;
    }

    /** Size of all accepted values in bytes. */
    long acceptedBytes() {
        long bytes = 0;
        for (ReadReply.Part part : accepted) {
            bytes += part.value().size();
        }
        return bytes;
    }

    /** The error of a query with too large results. */
    static String tooLarge(Query query) {
        return "results of " + query.operator() + " on table " + query.table() + " have more than "
                + Limits.RESULT_BYTES_PER_QUERY_MAX + " bytes; ask for less or fewer actors at once";
    }

    /** Accepts the reply's parts; returns a failure for every actor of the request that is still without an answer. */
    List<ActorFailure> accept(ReadCall call, ReadReply reply) {
        if (isSingleActorReply(call, reply)) {
            slots.resolve(call.slots.get(0));
            accepted.add(reply.parts().get(0));
            return List.of();
        }
        Set<QueryTarget> open = new LinkedHashSet<>(call.slots);
        for (ReadReply.Part part : reply.parts()) {
            List<QueryTarget> members = acceptableActors(part, open);
            if (!members.isEmpty()) {
                members.forEach(slots::resolve);
                members.forEach(open::remove);
                accepted.add(part);
            }
        }
        open.removeIf(slot -> slot.isResolved());
        List<ActorFailure> failures = new ArrayList<>();
        for (ActorFailure failure : reply.failures()) {
            if (slots.find(failure.actor()).filter(open::remove).isPresent()) {
                failures.add(failure);
            }
        }
        for (QueryTarget slot : open) {
            failures.add(new ActorFailure(
                    slot.actor, ErrorCode.CANCELLED, "its value is merged with actors that have another answer", 0));
        }
        return failures;
    }

    /** True for the most frequent reply, of a lookup by key: a shortcut for the rules below. */
    private static boolean isSingleActorReply(ReadCall call, ReadReply reply) {
        return call.slots.size() == 1
                && !call.slots.get(0).isResolved()
                && reply.failures().isEmpty()
                && reply.parts().size() == 1
                && reply.parts().get(0).actors().equals(List.of(call.slots.get(0).actor));
    }

    /** The part's actors; empty if the part must not count. */
    private List<QueryTarget> acceptableActors(ReadReply.Part part, Set<QueryTarget> open) {
        List<QueryTarget> members = new ArrayList<>(part.actors().size());
        Set<Integer> distinct = new LinkedHashSet<>(part.actors());
        for (int actor : part.actors()) {
            slots.find(actor)
                    .filter(slot -> open.contains(slot) && !slot.isResolved())
                    .ifPresent(members::add);
        }
        return members.size() == part.actors().size() && distinct.size() == members.size() ? members : List.of();
    }
}
