package io.uniserve.cli.load;

import io.uniserve.api.Document;
import java.io.IOException;
import java.util.Optional;

/** Rows of a file, one after the other. Not thread-safe. */
public interface RowSource extends AutoCloseable {
    /**
     * The next row; empty at the end. A malformed row fails with INVALID_ROW that names file and line, and the call after
     * that goes on behind it; any other failure ends the file.
     */
    Optional<Document> next();

    /** What the row read last asks for. */
    enum Command {
        /** The load's update function. */
        ADD(""),
        /** The port's function {@code delete}, by the row's key. */
        DELETE(".delete@"),
        /** The port's function {@code delete-id}, on every actor: the row has no key field, only an id. */
        DELETE_ID(".delete-id@"),
        /** The port's function {@code delete-query}, on every actor. */
        DELETE_QUERY(".delete-query@"),
        /** The port's function {@code optimize}, on every actor. */
        OPTIMIZE(".optimize@");

        private final String function;

        Command(String function) {
            this.function = function;
        }

        /** Whether an update function's name is that of this command. */
        boolean isDoneBy(String name) {
            return !function.isEmpty() && name.contains(function);
        }

        /** Whether it concerns all actors rather than that of the row's key. */
        boolean isForAll() {
            return this == DELETE_ID || this == DELETE_QUERY || this == OPTIMIZE;
        }
    }

    /** What to do with the row read last. */
    default Command command() {
        return Command.ADD;
    }

    /** Line, from 1, on which the row read last ended. */
    long line();

    /** Bytes of the file read so far, for progress. */
    long bytesRead();

    @Override
    void close() throws IOException;
}
