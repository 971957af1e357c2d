package io.uniserve.coordinator.provider;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ServerProvider;
import io.uniserve.runtime.async.BlockingIoExecutor;
import io.uniserve.runtime.disk.DurableFileOperations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provider whose servers are processes on the coordinator's machine. Each has a directory, named by its token, with its data, its log, its
 * process id, and a mark once it has been terminated. All state is in these directories, so a restarted coordinator, or a standby on the
 * same machine, goes on with them. A server outlives its coordinator. Thread-safe.
 *
 * <p>The instance id is the token. The process id counts only while the command line of that process contains the token.
 */
public final class ProcessServerProvider implements ServerProvider, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessServerProvider.class);
    private static final String IDENTITY = "identity";
    private static final String PID = "pid";
    private static final String ENDED = "ended";
    private static final String DATA = "data";
    private static final String LOG_FILE = "log";

    /** Folders of a server's data that no process may delete. */
    private static final Set<String> KEPT = Set.of("quarantine", "trash", "rollback");

    /** Script that records its process id before it becomes the server, so that no server runs without a record. */
    private static final String RECORD_PID = "echo $$ >\"$0/pid.new\" && mv \"$0/pid.new\" \"$0/pid\" && exec \"$@\"";

    private final Path directory;
    private final List<String> command;
    private final List<String> arguments;
    private final long stopGraceNanos;
    private final Clock clock;
    private final BlockingIoExecutor io;
    private final Map<String, Long> stoppingSince = new HashMap<>();

    /**
     * Creates the provider.
     *
     * @param directory directory of the servers' directories; it is created with the first server
     * @param command command that starts a server; the server's id, directory and cluster follow
     * @param arguments last arguments of each server
     * @param loop executor of completions
     */
    public ProcessServerProvider(
            Path directory,
            List<String> command,
            List<String> arguments,
            long stopGraceNanos,
            Clock clock,
            Executor loop) {
        this.directory = directory.toAbsolutePath().normalize();
        this.command = List.copyOf(command);
        this.arguments = List.copyOf(arguments);
        this.stopGraceNanos = stopGraceNanos;
        this.clock = clock;
        this.io = new BlockingIoExecutor("uniserve-provider", 1, loop);
    }

    @Override
    public String name() {
        return "process";
    }

    @Override
    public void launch(Launch launch, Completion<Instance> completion) {
        io.run("cannot launch " + launch.server(), completion, () -> launchNow(launch));
    }

    private Instance launchNow(Launch launch) throws IOException {
        Path own = own(launch.token());
        Files.createDirectories(own);
        Files.writeString(own.resolve(IDENTITY), launch.identity());
        if (Files.exists(own.resolve(ENDED))) {
            return new Instance(launch.token(), launch.token(), Status.ENDED);
        }
        if (process(launch.token()).isEmpty()) {
            start(launch, own);
        }
        return new Instance(launch.token(), launch.token(), Status.RUNNING);
    }

    private void start(Launch launch, Path own) throws IOException {
        List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", RECORD_PID, own.toString()));
        setsid().ifPresent(words::add);
        words.addAll(command);
        words.addAll(List.of("-S", "server.id=" + launch.server(), "--new"));
        words.addAll(List.of("--data", own.resolve(DATA).toString(), "--port", "0"));
        words.addAll(arguments);
        Process started = new ProcessBuilder(words)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(own.resolve(LOG_FILE).toFile()))
                .start();
        LOG.info("server {} starts as process {}, log in {}", launch.server(), started.pid(), own.resolve(LOG_FILE));
    }

    /** Command that puts a server into a session of its own, so that Ctrl-C at the coordinator's terminal does not end it. */
    private static Optional<String> setsid() {
        return Files.isExecutable(Path.of("/usr/bin/setsid")) ? Optional.of("/usr/bin/setsid") : Optional.empty();
    }

    @Override
    public void terminate(String instanceId, Completion<Done> completion) {
        io.run("cannot terminate " + instanceId, completion, () -> terminateNow(instanceId));
    }

    private Done terminateNow(String token) throws IOException {
        Path own = own(token);
        if (!Files.isDirectory(own)) {
            return Done.DONE;
        }
        if (!Files.exists(own.resolve(ENDED))) {
            Files.createFile(own.resolve(ENDED));
        }
        Optional<ProcessHandle> running = process(token);
        if (running.isEmpty()) {
            stoppingSince.remove(token);
            deleteData(own);
            return Done.DONE;
        }
        long now = clock.nanos();
        long since = stoppingSince.computeIfAbsent(token, unused -> now);
        if (now - since > stopGraceNanos) {
            LOG.warn(
                    "process {} of server {} is killed: it did not stop in time",
                    running.get().pid(),
                    token);
            running.get().destroyForcibly();
        } else {
            running.get().destroy();
        }
        return Done.DONE;
    }

    @Override
    public void list(String identity, Completion<List<Instance>> completion) {
        io.run("cannot list " + directory, completion, () -> listNow(identity));
    }

    private List<Instance> listNow(String identity) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        List<Instance> instances = new ArrayList<>();
        for (String token : tokens()) {
            Path owner = own(token).resolve(IDENTITY);
            if (!Files.exists(owner) || !Files.readString(owner).equals(identity)) {
                continue;
            }
            boolean runs = mayRun(token);
            boolean ended = Files.exists(own(token).resolve(ENDED));
            if (ended && !runs) {
                stoppingSince.remove(token);
                deleteData(own(token));
            }
            instances.add(new Instance(token, token, runs ? Status.RUNNING : ended ? Status.ENDED : Status.STOPPED));
        }
        return instances;
    }

    /** True if the server runs, or its process id cannot be read. */
    private boolean mayRun(String token) throws IOException {
        try {
            return process(token).isPresent();
        } catch (UniserveException e) {
            LOG.error("server {}: {}", token, e.reason());
            return true;
        }
    }

    private List<String> tokens() throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(ScalingInstance::isToken)
                    .sorted()
                    .toList();
        }
    }

    /** Directory of one server. Tokens are hexadecimal, so no path comes from another name. */
    private Path own(String token) {
        if (!ScalingInstance.isToken(token)) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT, "instance id \"" + token + "\" is not one of this provider");
        }
        return directory.resolve(token);
    }

    /** The live process of this token; empty if it has ended or never started. */
    private Optional<ProcessHandle> process(String token) throws IOException {
        Path file = own(token).resolve(PID);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        long pid;
        try {
            pid = Long.parseLong(Files.readString(file).strip());
        } catch (NumberFormatException e) {
            throw new UniserveException(
                    ErrorCode.CORRUPT, file + " is not a process id: end that server and delete the file", e);
        }
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).filter(handle -> isOf(handle, token));
    }

    private static boolean isOf(ProcessHandle handle, String token) {
        Path commandLine = Path.of("/proc", Long.toString(handle.pid()), "cmdline");
        try {
            if (Files.isReadable(commandLine)) {
                return Files.readString(commandLine).contains(token);
            }
        } catch (IOException e) {
            return false; // it has just ended
        }
        return handle.info().commandLine().filter(line -> line.contains(token)).isPresent();
    }

    /** Deletes the server's data, but not if they have files that only an operator may delete. */
    private static void deleteData(Path own) throws IOException {
        Path data = own.resolve(DATA);
        if (!Files.exists(data)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(data)) {
            if (paths.anyMatch(path -> KEPT.contains(path.getFileName().toString()) && hasEntries(path))) {
                LOG.warn("{} has files in {}: they stay, delete them by hand", data, KEPT);
                return;
            }
        }
        DurableFileOperations.deleteTree(data);
    }

    private static boolean hasEntries(Path path) {
        String[] entries = path.toFile().list();
        return entries != null && entries.length > 0;
    }

    /** Ends the threads of the provider. Servers go on. */
    @Override
    public void close() {
        io.close();
    }
}
