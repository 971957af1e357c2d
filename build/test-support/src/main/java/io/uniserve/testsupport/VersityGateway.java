package io.uniserve.testsupport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A process of versitygw, a server with the interface of S3 over a folder. Not thread-safe. */
public final class VersityGateway implements AutoCloseable {
    private static final String NAME = "versitygw";

    /** Reason of a skipped test. */
    public static final String ABSENT = ExternalServer.absent(NAME);

    public static final String ACCESS_KEY = "testing";
    public static final String SECRET_KEY = "testing-secret";

    private final ExternalServer server;

    /**
     * Starts a server with one bucket.
     *
     * @param program see {@link #program}
     * @param directory existing folder of its own; it gets the buckets and the log
     */
    public VersityGateway(Path program, Path directory, String bucket) throws IOException {
        Path buckets = directory.resolve("buckets");
        Files.createDirectories(buckets.resolve(bucket));
        server = new ExternalServer(
                NAME,
                List.of(program.toString(), "--port", "127.0.0.1:PORT", "posix", buckets.toString()),
                Map.of("ROOT_ACCESS_KEY", ACCESS_KEY, "ROOT_SECRET_KEY", SECRET_KEY),
                directory);
    }

    /** The program; empty if this machine has none. */
    public static Optional<Path> program() {
        return ExternalServer.program(NAME);
    }

    /** Options of a location that reaches this server. */
    public String locationOptions() {
        return "path-style=true&endpoint=http://127.0.0.1:" + server.port();
    }

    /** Kills the process as {@code kill -9} does, and starts another one. */
    public void killAndRestart() throws IOException {
        server.killAndRestart();
    }

    @Override
    public void close() {
        server.close();
    }
}
