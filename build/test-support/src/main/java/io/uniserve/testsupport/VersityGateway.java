package io.uniserve.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * A process of versitygw, a server with the interface of S3 over a folder. The program is that of {@code -Duniserve.test.versitygw}, or the
 * one on the PATH. It keeps its port over restarts. Not thread-safe.
 */
public final class VersityGateway implements AutoCloseable {
    /** Reason of a skipped test. */
    public static final String ABSENT = "no versitygw on the PATH, and -Duniserve.test.versitygw is not set";

    public static final String ACCESS_KEY = "testing";
    public static final String SECRET_KEY = "testing-secret";

    private final Path program;
    private final Path directory;
    private final int port;
    private Process process;

    /**
     * Starts a server with one bucket.
     *
     * @param program see {@link #program}
     * @param directory existing folder of its own; it gets the buckets and the log
     */
    public VersityGateway(Path program, Path directory, String bucket) throws IOException {
        this.program = program;
        this.directory = directory;
        Files.createDirectories(buckets().resolve(bucket));
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        process = start();
    }

    /** The program; empty if this machine has none. */
    public static Optional<Path> program() {
        String given = System.getProperty("uniserve.test.versitygw", "");
        if (!given.isEmpty()) {
            return Optional.of(Path.of(given));
        }
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .map(folder -> Path.of(folder).resolve("versitygw"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Options of a location that reaches this server. */
    public String locationOptions() {
        return "path-style=true&endpoint=http://127.0.0.1:" + port;
    }

    /** Kills the process as {@code kill -9} does, and starts another one. */
    public void killAndRestart() throws IOException {
        process.destroyForcibly().onExit().join();
        process = start();
    }

    private Path buckets() {
        return directory.resolve("buckets");
    }

    private Process start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                program.toString(),
                "--port",
                "127.0.0.1:" + port,
                "posix",
                buckets().toString());
        builder.environment().put("ROOT_ACCESS_KEY", ACCESS_KEY);
        builder.environment().put("ROOT_SECRET_KEY", SECRET_KEY);
        Path log = directory.resolve("versitygw.log");
        Process started = builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        Awaitility.await("versitygw").atMost(Duration.ofMinutes(1)).until(() -> listens(started, log));
        return started;
    }

    private boolean listens(Process started, Path log) {
        if (!started.isAlive()) {
            throw new IllegalStateException("versitygw ended: " + text(log));
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static String text(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
