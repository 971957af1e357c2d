package io.uniserve.protocol.replica.storage;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.SequentialTaskQueue;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** State file of a replica. Changes are written one after another, and take effect once they are on disk. */
public final class StateFile {
    private final Disk disk;
    private final String path;
    private final SequentialTaskQueue steps = new SequentialTaskQueue();
    private PersistentState state;
    private boolean closed;

    StateFile(Disk disk, String directory, PersistentState state) {
        this.disk = disk;
        this.path = directory + "/state";
        this.state = state;
    }

    /** The state on disk. */
    public PersistentState get() {
        return state;
    }

    /** Changes the state durably; UNAVAILABLE after {@link #close}, as the replica's directory may be gone. */
    public void change(UnaryOperator<PersistentState> change, Completion<Done> completion) {
        if (closed) {
            completion.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, path + ": the file is closed")));
            return;
        }
        steps.add(next -> {
            PersistentState changed = change.apply(state);
            disk.replace(path, changed.encode(), done -> {
                if (done instanceof Outcome.Ok<Done>) {
                    state = changed;
                }
                next.run();
                completion.done(done);
            });
        });
    }

    /** Stores a learner's certificate, unless another epoch is installed. The result is true if it is on disk. */
    public void certify(long epoch, ServerId learner, Consumer<Boolean> then) {
        change(
                known -> known.installedEpoch() == epoch ? known.withCertified(learner) : known,
                done -> then.accept(done instanceof Outcome.Ok<Done>));
    }

    /** Rejects further changes, and runs the task once no write is running. */
    public void close(Runnable task) {
        closed = true;
        steps.add(next -> {
            next.run();
            task.run();
        });
    }
}
