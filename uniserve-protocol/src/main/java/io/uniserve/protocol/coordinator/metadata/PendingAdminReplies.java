package io.uniserve.protocol.coordinator.metadata;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.AdminReply;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The administration requests of one leader term that have no reply yet. Each gets one reply, at the latest when the term ends. */
public final class PendingAdminReplies {
    private final Set<PendingAdminReply> pending = new LinkedHashSet<>();

    /** A request of a client, or an operation that the coordinator starts by itself: it ends with the term like a client's. */
    public PendingAdminReply add(Completion<AdminReply> completion) {
        PendingAdminReply reply = new PendingAdminReply(pending, completion);
        pending.add(reply);
        return reply;
    }

    public void failAll(UniserveException why) {
        for (PendingAdminReply reply : List.copyOf(pending)) {
            reply.fail(why);
        }
    }
}
