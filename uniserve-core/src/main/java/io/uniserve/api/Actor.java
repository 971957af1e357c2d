package io.uniserve.api;

import java.nio.file.Path;

/**
 * One partition of a table's data in the engine's own structure. The host calls updates, {@link #publish},
 * {@link #writeTo} and {@link #destroy} one at a time; operators run at the same time as all but destroy.
 */
public interface Actor extends ActorView {
    /**
     * Makes every update applied so far visible to operators. Called after a run of updates: before an operator is to see
     * them, and at the latest when no more follow for a moment. Must not fail for what rows are: they are acknowledged.
     */
    default void publish() {}

    /** Writes the published data as files into an existing empty directory. Files may be hard links; they never change later. */
    void writeTo(Path directory);

    /** Closes the actor and deletes its data. Idempotent. */
    void destroy();

    /** Releases what the actor holds; its files may stay. Idempotent. */
    @Override
    void close();
}
