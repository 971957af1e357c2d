package io.uniserve.api;

import java.nio.file.Path;

/**
 * One replica of one partition of a table, in the engine's own data structure.
 *
 * <p>Life cycle: {@link ActorFactory#create}, or {@link ActorFactory#restore} from the files of {@link #writeTo}; updates in log order;
 * {@link #publish}; {@link #writeTo} from time to time; {@link #destroy}. If an update throws, the host destroys the actor, restores it
 * from its last checkpoint, and applies the log again.
 *
 * <p>Thread-safety: per actor, the host calls updates, {@link #publish}, {@link #writeTo} and {@link #destroy} one at a time and in
 * order. Operators, validation, {@link #usage} and {@link #digest} run concurrently with all of these except {@link #destroy}.
 *
 * <p>Errors: throw {@link io.uniserve.error.UniserveException}; see {@link EngineErrorMapper}.
 *
 * <pre>{@code
 * final class CounterActor implements Actor {
 *     private final Map<String, Long> counts = new HashMap<>();  // changed by updates, on one thread
 *     private volatile Map<String, Long> published = Map.of();   // read by operators
 *
 *     public void publish() {
 *         published = Map.copyOf(counts);
 *     }
 *
 *     public void writeTo(Path directory) {
 *         IO.run("write a checkpoint", () -> Files.write(directory.resolve("counts"), encoded(published)));
 *     }
 *     // usage, digest, destroy and close
 * }
 * }</pre>
 */
public interface Actor extends ActorView {
    /**
     * Makes all updates so far visible to operators. The host calls it after a run of updates: before an operator must see them, and
     * at the latest when no update has followed for a short time. Must not reject rows: they are already acknowledged.
     */
    default void publish() {}

    /**
     * Writes a checkpoint of the published data into an existing empty directory. The files must never change afterwards, so hard
     * links to immutable files are fine.
     */
    void writeTo(Path directory);

    /** Closes the actor and deletes its data. Called after the last reader is done. Idempotent. */
    void destroy();

    /** Releases memory, files and threads of the actor; its data may stay on disk. Idempotent. */
    @Override
    void close();
}
