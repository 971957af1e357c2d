package io.uniserve.port.mongodb.server;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Child process {@code mongod} on a port of 127.0.0.1, with its files below the engine's scratch directory. If it dies it is started again on
 * these files. It ends with this process, however that ends: a shell beside it kills it when its pipe from this process closes. Thread-safe.
 */
public final class MongodProcess implements MongoServerHandle {
    private static final String LOG_FILE = "mongod.log";
    private static final String OUTPUT_FILE = "mongod.out";
    /** Switches JavaScript off: $where, $function, $accumulator, mapReduce. */
    private static final String NO_SCRIPTING = "--noscripting";

    private static final String CACHE_GB = "0.5";
    private static final int PORT_ATTEMPTS = 3;
    private static final long START_TIMEOUT_MS = 60_000;
    private static final long STOP_TIMEOUT_S = 10;
    private static final long RESTART_MS_MIN = 500;
    private static final int RESTART_DOUBLINGS_MAX = 7;
    private static final int LOG_TAIL_CHARS = 600;

    /**
     * Starts the watcher, and becomes mongod in a session without a terminal, so that Ctrl-C reaches only this process. The watcher reads a
     * line when mongod has ended, and nothing if this process has ended; it kills only its parent.
     */
    private static final String SCRIPT = """
            trap '' INT HUP
            exec 3<&0
            (
              read -r line <&3 && exit
              parent=$$
              [ ! -r /proc/self/stat ] || read -r self name state parent rest </proc/self/stat
              [ "$parent" != $$ ] || kill -KILL $$
            ) </dev/null >/dev/null 2>&1 &
            if command -v setsid >/dev/null; then exec setsid "$@" </dev/null 3<&-; fi
            exec "$@" </dev/null 3<&-
            """;

    private static final Logger LOG = LoggerFactory.getLogger(MongodProcess.class);

    private final MongodExecutable program;
    private final Path folder;
    private final int port;
    private @Nullable Process process;
    private int failedRestarts;
    private boolean closed;

    private MongodProcess(MongodExecutable program, Path folder, int port) {
        this.program = program;
        this.folder = folder;
        this.port = port;
    }

    /** Starts the program and returns when it answers. Its files are in this folder, which must be empty or from an earlier process. */
    public static MongodProcess start(MongodExecutable program, Path folder) {
        UniserveException failure = null;
        for (int attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
            MongodProcess started = new MongodProcess(program, folder, freePort());
            try {
                started.launch();
                LOG.info(
                        "{} {}: started with process id {} on port {}; its files are in {}",
                        program.path(),
                        program.version(),
                        started.current().pid(),
                        started.port,
                        folder);
                return started;
            } catch (UniserveException e) {
                started.close();
                failure = e;
                if (!started.wasPortTaken()) {
                    break;
                }
            }
        }
        throw failure == null ? new IllegalStateException("no attempt") : failure;
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "mongod: no free port of 127.0.0.1: " + e.getMessage(), e);
        }
    }

    @Override
    public String uri() {
        return "mongodb://127.0.0.1:" + port + "/?directConnection=true";
    }

    @Override
    public String name() {
        return program.path() + " " + program.version() + ", a child process";
    }

    /** The process id of the running program. */
    long pid() {
        return current().pid();
    }

    private synchronized Process current() {
        if (process == null) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, program.path() + " is not running");
        }
        return process;
    }

    /** Starts the process, waits until it answers, and watches for its end. */
    private void launch() {
        Process started = spawn();
        CompletableFuture<Process> ended = started.onExit();
        CompletableFuture<Long> answered =
                CompletableFuture.supplyAsync(this::answeringPid, DaemonThreads.named("mongod-start"));
        try {
            CompletableFuture.anyOf(ended, answered)
                    .orTimeout(START_TIMEOUT_MS, TimeUnit.MILLISECONDS)
                    .join();
        } catch (CompletionException e) {
            throw failedStart("does not answer after " + START_TIMEOUT_MS + " ms: " + e.getMessage());
        }
        if (ended.isDone()) {
            throw failedStart("ended with status " + started.exitValue());
        }
        if (answered.join() != started.pid()) {
            throw failedStart("does not have port " + port + ", which process " + answered.join() + " has");
        }
        DaemonThreads.named("mongod-watch").execute(() -> onEnd(ended.join()));
    }

    private UniserveException failedStart(String why) {
        return new UniserveException(
                ErrorCode.UNAVAILABLE,
                program.path() + " " + program.version() + " " + why + "; see " + folder.resolve(LOG_FILE) + ": "
                        + logTail() + "; set mongodb." + MongodExecutable.MONGOD + " to " + MongodExecutable.NEVER
                        + " to go without it");
    }

    private synchronized Process spawn() {
        if (closed) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, program.path() + " is being stopped");
        }
        List<String> command = new ArrayList<>(
                List.of("/bin/sh", "-c", SCRIPT, "mongod", program.path().toString()));
        command.addAll(List.of("--dbpath", folder.resolve("db").toString()));
        command.addAll(List.of("--bind_ip", "127.0.0.1", "--port", String.valueOf(port), "--nounixsocket"));
        command.add(NO_SCRIPTING);
        command.addAll(List.of("--wiredTigerCacheSizeGB", CACHE_GB));
        command.addAll(List.of("--logpath", folder.resolve(LOG_FILE).toString(), "--logappend"));
        try {
            Files.createDirectories(folder.resolve("db"));
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            folder.resolve(OUTPUT_FILE).toFile()))
                    .start();
            return process;
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot start " + program.path() + ": " + e.getMessage(), e);
        }
    }

    /** The process id in the status of the server at the port. */
    private long answeringPid() {
        MongoClientSettings settings = MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(uri()))
                .applyToClusterSettings(
                        cluster -> cluster.serverSelectionTimeout(START_TIMEOUT_MS, TimeUnit.MILLISECONDS))
                .build();
        try (MongoClient client = MongoClients.create(settings)) {
            return client.getDatabase("admin")
                    .runCommand(new BsonDocument("serverStatus", new BsonInt32(1)), BsonDocument.class)
                    .getNumber("pid")
                    .longValue();
        } catch (MongoException e) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, "no answer at port " + port + ": " + e.getMessage(), e);
        }
    }

    private void onEnd(Process ended) {
        synchronized (this) {
            if (closed || process != ended) {
                return;
            }
        }
        LOG.error(
                "{}: process {} ended with status {}, and is started again; the log ends with: {}",
                program.path(),
                ended.pid(),
                ended.exitValue(),
                logTail());
        scheduleRestart();
    }

    private synchronized void scheduleRestart() {
        if (!closed) {
            long delay = RESTART_MS_MIN << Math.min(failedRestarts, RESTART_DOUBLINGS_MAX);
            DaemonThreads.delayed("mongod-restart", delay).execute(this::restart);
        }
    }

    private void restart() {
        try {
            launch();
            LOG.info("{}: started again with process id {}", program.path(), pid());
            synchronized (this) {
                failedRestarts = 0;
            }
        } catch (UniserveException e) {
            LOG.error("{}: restart failed: {}", program.path(), e.getMessage());
            synchronized (this) {
                failedRestarts++;
                kill();
            }
            scheduleRestart();
        }
    }

    private boolean wasPortTaken() {
        return logTail().contains("ddress already in use");
    }

    private String logTail() {
        StringBuilder tail = new StringBuilder();
        for (String name : List.of(OUTPUT_FILE, LOG_FILE)) {
            try {
                String text = Files.exists(folder.resolve(name))
                        ? Files.readString(folder.resolve(name), StandardCharsets.ISO_8859_1)
                                .strip()
                        : "";
                tail.append(text.substring(Math.max(0, text.length() - LOG_TAIL_CHARS))
                        .replace('\n', ' '));
            } catch (IOException e) {
                tail.append("(")
                        .append(name)
                        .append(": ")
                        .append(e.getMessage())
                        .append(")");
            }
        }
        return tail.toString();
    }

    private synchronized void kill() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    /** Ends the process by SIGTERM, or by SIGKILL if that takes too long. */
    @Override
    public void close() {
        Process running;
        synchronized (this) {
            closed = true;
            running = process;
        }
        if (running == null) {
            return;
        }
        running.destroy();
        try {
            if (!running.waitFor(STOP_TIMEOUT_S, TimeUnit.SECONDS)) {
                LOG.warn("{}: no end {} s after SIGTERM; killed", program.path(), STOP_TIMEOUT_S);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            running.destroyForcibly();
        }
    }
}
