package io.uniserve.protocol.client.query;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import java.util.List;

/** One request to one server. */
final class ReadCall {
    final ServerId server;
    final List<QueryTarget> slots;
    final long sentNanos;
    final Kind kind;
    Timers.Cancel cancel = () -> {};

    /** The call has ended or was cancelled: a later reply is ignored. */
    boolean ended;

    /** Time of the next check whether to hedge its unanswered actors. */
    long hedgeAtNanos;

    /** Reason of a request. */
    enum Kind {
        FIRST,
        RETRY,
        HEDGE
    }

    ReadCall(ServerId server, List<QueryTarget> slots, long sentNanos, Kind kind) {
        this.server = server;
        this.slots = slots;
        this.sentNanos = sentNanos;
        this.kind = kind;
    }

    boolean isNeeded() {
        for (QueryTarget slot : slots) {
            if (!slot.isResolved()) {
                return true;
            }
        }
        return false;
    }

    String actors() {
        if (slots.size() == 1) {
            return "actor " + slots.get(0).actor;
        }
        return slots.size() + " actors from " + slots.get(0).actor;
    }

    /** The call's error as a failure of each actor without an answer. */
    List<ActorFailure> failures(UniserveException error) {
        return slots.stream()
                .filter(slot -> !slot.isResolved())
                .map(slot -> new ActorFailure(slot.actor, error.code(), error.reason(), 0))
                .toList();
    }

    /** True if the only replica that may answer one of the open actors is gone. */
    boolean hasLostPin(RouteIndex index) {
        return slots.stream()
                .anyMatch(slot -> !slot.isResolved()
                        && slot.pin.isPresent()
                        && slot.pin.get().isLost(index));
    }
}
