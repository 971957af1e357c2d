package io.uniserve.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * Process of a server that is not Uniserve's, on a port of the loopback address. The program is that of {@code -Duniserve.test.NAME}, or the
 * one on the PATH. The process keeps its port over restarts. Not thread-safe.
 */
public final class ExternalServer implements AutoCloseable {
    private final String name;
    private final Path log;
    private final int port;
    private final ProcessBuilder builder;
    private Process process;

    /**
     * Starts a server, and waits until it accepts connections.
     *
     * @param name name of the program, for errors and the log
     * @param command program and arguments; {@code PORT} stands for the port
     * @param environment further variables of its environment
     * @param directory existing folder, which gets the log
     */
    public ExternalServer(String name, List<String> command, Map<String, String> environment, Path directory)
            throws IOException {
        this.name = name;
        this.log = directory.resolve(name + ".log");
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        builder = new ProcessBuilder(command.stream()
                        .map(word -> word.replace("PORT", Integer.toString(port)))
                        .toList())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        process = start();
    }

    /** The program of this name; empty if this machine has none. */
    public static Optional<Path> program(String name) {
        String given = System.getProperty("uniserve.test." + name, "");
        if (!given.isEmpty()) {
            return Optional.of(Path.of(given));
        }
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .map(folder -> Path.of(folder).resolve(name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Reason of a skipped test. */
    public static String absent(String name) {
        return "no " + name + " on the PATH, and -Duniserve.test." + name + " is not set";
    }

    /** Port of the loopback address. */
    public int port() {
        return port;
    }

    /** Kills the process as {@code kill -9} does, and starts another one. */
    public void killAndRestart() throws IOException {
        process.destroyForcibly().onExit().join();
        process = start();
    }

    private Process start() throws IOException {
        Process started = builder.start();
        Awaitility.await(name).atMost(Duration.ofMinutes(1)).until(() -> listens(started));
        return started;
    }

    private boolean listens(Process started) {
        if (!started.isAlive()) {
            throw new IllegalStateException(name + " ended: " + text());
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private String text() {
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
