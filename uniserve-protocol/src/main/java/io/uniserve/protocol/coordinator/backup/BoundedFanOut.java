package io.uniserve.protocol.coordinator.backup;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import org.jspecify.annotations.Nullable;

/** Runner of one step per actor of a table, with bounded concurrency. After an error it starts no further step. */
final class BoundedFanOut {
    private final int total;
    private final Step step;
    private final Completion<Done> completion;
    private @Nullable UniserveException failed;
    private int started;
    private int running;

    /** Work for one actor. */
    interface Step {
        void run(int actor, Completion<Done> completion);
    }

    BoundedFanOut(int total, Step step, Completion<Done> completion) {
        this.total = total;
        this.step = step;
        this.completion = completion;
    }

    int finishedCount() {
        return started - running;
    }

    int total() {
        return total;
    }

    void start() {
        if (total == 0) {
            completion.done(Outcome.ok(Done.DONE));
        }
        for (int i = 0; i < Limits.BACKUP_ACTORS_AT_ONCE; i++) {
            startNext();
        }
    }

    private void startNext() {
        if (started < total && failed == null) {
            running++;
            step.run(started++, this::onStepDone);
        }
    }

    private void onStepDone(Outcome<Done> outcome) {
        running--;
        if (outcome instanceof Outcome.Err<Done> err && failed == null) {
            failed = err.error();
        }
        UniserveException error = failed;
        if (error == null && started < total) {
            startNext();
        } else if (running == 0) {
            completion.done(error == null ? Outcome.ok(Done.DONE) : Outcome.err(error));
        }
    }
}
