package io.uniserve.testkit.process;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.disk.DurableFileOperations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directory for data and logs of the processes that a command starts. A temporary one is deleted when it is closed. SIGTERM and Ctrl-C also
 * delete it, after the processes were ended. Not thread-safe.
 */
public final class Workspace implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Workspace.class);

    private final Path directory;
    private final boolean temporary;
    private final Thread interrupted = new Thread(this::deleteAfterExit, "workspace");

    private Workspace(Path directory, boolean temporary) {
        this.directory = directory;
        this.temporary = temporary;
        Runtime.getRuntime().addShutdownHook(interrupted);
    }

    /** Creates a temporary directory with this prefix. */
    public static Workspace temporary(String name) {
        try {
            return new Workspace(Files.createTempDirectory(name), true);
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.IO,
                    "cannot create a directory in " + System.getProperty("java.io.tmpdir")
                            + "; free space there, or name another place with UNISERVE_JAVA_OPTS=-Djava.io.tmpdir=DIR",
                    e);
        }
    }

    /** Returns this directory, which is kept, or a temporary one if it is null. */
    public static Workspace of(@Nullable Path kept, String name) {
        return kept == null ? temporary(name) : new Workspace(kept.toAbsolutePath(), false);
    }

    public Path directory() {
        return directory;
    }

    private void deleteAfterExit() {
        ParentProcessWatcher.endAll();
        try {
            delete();
        } catch (IOException e) {
            LOG.warn("{}: could not be deleted", directory, e);
        }
    }

    private void delete() throws IOException {
        if (temporary) {
            DurableFileOperations.deleteTree(directory);
        }
    }

    /** Deletes the directory if it is temporary. Its processes must have ended. */
    @Override
    public void close() throws IOException {
        if (interrupted.getState() == Thread.State.NEW) {
            Runtime.getRuntime().removeShutdownHook(interrupted);
            delete();
        }
    }
}
