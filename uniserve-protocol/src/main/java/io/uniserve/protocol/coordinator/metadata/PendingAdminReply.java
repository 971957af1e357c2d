package io.uniserve.protocol.coordinator.metadata;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The one reply to an administration request. The first result counts; later ones are ignored. */
public final class PendingAdminReply {
    private final Set<PendingAdminReply> pending;
    private final Completion<AdminReply> completion;
    private final List<Runnable> whenDone = new ArrayList<>();

    /**
     * @param pending the term's requests without a reply; this one leaves it when it completes
     */
    PendingAdminReply(Set<PendingAdminReply> pending, Completion<AdminReply> completion) {
        this.pending = pending;
        this.completion = completion;
    }

    /** Runs the task before the reply is sent. */
    public void whenDone(Runnable task) {
        whenDone.add(task);
    }

    public boolean isOpen() {
        return pending.contains(this);
    }

    public void ok(AdminReply reply) {
        finish(Outcome.ok(reply));
    }

    public void fail(UniserveException error) {
        finish(Outcome.err(error));
    }

    private void finish(Outcome<AdminReply> outcome) {
        if (pending.remove(this)) {
            whenDone.forEach(Runnable::run);
            completion.done(outcome);
        }
    }
}
