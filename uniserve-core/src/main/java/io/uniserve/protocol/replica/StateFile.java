package io.uniserve.protocol.replica;

import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.StepQueue;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A replica's state file: changes are written one after another, and hold only once they are on disk. */
final class StateFile {
    private final Disk disk;
    private final String path;
    private final StepQueue steps = new StepQueue();
    private DiskState state;

    StateFile(Disk disk, String directory, DiskState state) {
        this.disk = disk;
        this.path = directory + "/state";
        this.state = state;
    }

    /** What is on disk. */
    DiskState get() {
        return state;
    }

    /** Changes the state durably. */
    void change(UnaryOperator<DiskState> change, Completion<Done> completion) {
        steps.add(next -> {
            DiskState changed = change.apply(state);
            disk.replace(path, changed.encode(), done -> {
                if (done instanceof Outcome.Ok<Done>) {
                    state = changed;
                }
                next.run();
                completion.done(done);
            });
        });
    }

    /** Notes a certified learner, unless another epoch is installed by then, and tells whether the note is on disk. */
    void certify(long epoch, ServerId learner, Consumer<Boolean> then) {
        change(
                known -> known.installed() == epoch ? known.certify(learner) : known,
                done -> then.accept(done instanceof Outcome.Ok<Done>));
    }

    /** Runs the task once no write is under way. */
    void whenIdle(Runnable task) {
        steps.add(next -> {
            next.run();
            task.run();
        });
    }
}
