package io.uniserve.cli.load;

import io.uniserve.api.Document;
import java.io.IOException;
import java.util.Optional;

/** Iterator over the rows of a file. Not thread-safe. */
public interface RowSource extends AutoCloseable {
    /**
     * Returns the next row; empty at the end. A malformed row fails with INVALID_ROW, which names file and line, and the next call
     * continues after it. Any other failure ends the file.
     */
    Optional<Document> next();

    /** Command of the last row. */
    enum Command {
        /** Apply the load's update function. */
        ADD(""),
        /** Call the port's function {@code delete}, with the row's key. */
        DELETE(".delete@"),
        /** Call the port's function {@code delete-id} on every actor: the row has no key field, only an id. */
        DELETE_ID(".delete-id@"),
        /** Call the port's function {@code delete-query} on every actor. */
        DELETE_QUERY(".delete-query@"),
        /** Call the port's function {@code optimize} on every actor. */
        OPTIMIZE(".optimize@");

        private final String function;

        Command(String function) {
            this.function = function;
        }

        /** True if this update function implements the command. */
        boolean isFunction(String name) {
            return !function.isEmpty() && name.contains(function);
        }

        /** True if the command is for all actors instead of that of the row's key. */
        boolean goesToAllActors() {
            return this == DELETE_ID || this == DELETE_QUERY || this == OPTIMIZE;
        }
    }

    /** Returns the command of the last row. */
    default Command command() {
        return Command.ADD;
    }

    /** Returns the line, from 1, on which the last row ended. */
    long line();

    /** Returns the bytes of the file that were read so far, for progress. */
    long bytesRead();

    @Override
    void close() throws IOException;
}
