package io.uniserve.benchmark.storage;

import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Process of versitygw, a server with the interface of S3. Each object is a file below its directory. It ends with this process. Not
 * thread-safe.
 */
final class VersityProcess implements AutoCloseable {
    static final String ACCESS_KEY = "benchmark";
    static final String SECRET_KEY = "benchmark-secret";
    static final String BUCKET = "bench";
    private static final long START_TIMEOUT_MS = 60_000;
    private static final String NAME = "versitygw";

    private final Path directory;
    private final int port;
    private final Process process;
    private final Thread ender;

    /** Starts a server with the bucket {@value #BUCKET} in a new directory. */
    VersityProcess(Path program, Path directory, LongSupplier nanos) {
        this.directory = directory;
        try {
            Files.createDirectories(bucket());
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            ProcessBuilder builder = new ProcessBuilder(
                    program.toString(),
                    "--port",
                    "127.0.0.1:" + port,
                    "posix",
                    directory.resolve("buckets").toString());
            builder.environment().put("ROOT_ACCESS_KEY", ACCESS_KEY);
            builder.environment().put("ROOT_SECRET_KEY", SECRET_KEY);
            process = builder.redirectErrorStream(true)
                    .redirectOutput(log().toFile())
                    .start();
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot start " + program, e);
        }
        ender = new Thread(process::destroyForcibly, NAME + "-end");
        Runtime.getRuntime().addShutdownHook(ender);
        if (!ConditionWaiter.await(nanos, START_TIMEOUT_MS, this::listensOrEnded) || !process.isAlive()) {
            close();
            throw new UniserveException(ErrorCode.UNAVAILABLE, program + " does not serve; see " + log());
        }
    }

    /** Finds the program: the given file, or on the PATH, or in {@code ~/go/bin}; empty if there is none. */
    static Optional<Path> find(@Nullable Path given) {
        if (given != null) {
            return Optional.of(given);
        }
        Stream<String> folders = Stream.concat(
                Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":")),
                Stream.of(System.getProperty("user.home", "") + "/go/bin"));
        return folders.filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder).resolve(NAME))
                .filter(Files::isExecutable)
                .findFirst();
    }

    int port() {
        return port;
    }

    /** Returns the directory with the objects of the bucket. */
    Path bucket() {
        return directory.resolve("buckets").resolve(BUCKET);
    }

    private Path log() {
        return directory.resolve(NAME + ".log");
    }

    private boolean listensOrEnded() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return !process.isAlive();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        if (ender.getState() == Thread.State.NEW) {
            try {
                Runtime.getRuntime().removeShutdownHook(ender);
            } catch (IllegalStateException e) {
                // This process ends already, and the hook runs.
            }
        }
    }
}
