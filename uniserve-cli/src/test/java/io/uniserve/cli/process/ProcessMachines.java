package io.uniserve.cli.process;

import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testsupport.MachineHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Machines that are processes of {@code uniserve server}. Each takes its server's id from the instance's tag, as the user data do on EC2, and
 * has a directory of its own as its disk. Thread-safe.
 */
final class ProcessMachines implements MachineHost, AutoCloseable {
    private static final String SERVER_TAG = "uniserve-server";

    private final Path directory;
    private final Map<String, String> serverIds = new TreeMap<>();
    private final Map<String, DaemonProcess> processes = new TreeMap<>();
    private final Map<String, Integer> boots = new TreeMap<>();
    private final Set<String> dead = new TreeSet<>();
    private List<String> arguments = List.of();
    private boolean nextIsDead;

    ProcessMachines(Path directory) {
        this.directory = directory;
    }

    /** Sets the last arguments of each server. */
    synchronized void arguments(List<String> all) {
        arguments = List.copyOf(all);
    }

    /** Makes the next new machine one that never boots. */
    synchronized void nextNeverBoots() {
        nextIsDead = true;
    }

    /** Instances whose machines never boot. */
    synchronized Set<String> dead() {
        return Set.copyOf(dead);
    }

    /** How often the machine has booted. */
    synchronized int boots(String id) {
        return boots.getOrDefault(id, 0);
    }

    /** Instances with a live process. */
    synchronized Set<String> running() {
        Set<String> running = new TreeSet<>();
        processes.forEach((id, process) -> {
            if (process.isAlive()) {
                running.add(id);
            }
        });
        return running;
    }

    @Override
    public synchronized void launch(String id, Map<String, String> tags) throws IOException {
        serverIds.put(id, tags.getOrDefault(SERVER_TAG, ""));
        Files.createDirectories(directory.resolve(id));
        if (nextIsDead) {
            nextIsDead = false;
            dead.add(id);
        } else {
            boot(id);
        }
    }

    @Override
    public synchronized void start(String id) throws IOException {
        try (Stream<Path> data = Files.list(data(id))) {
            if (data.findAny().isEmpty()) {
                throw new AssertionError("the disk of " + id + " is empty");
            }
        }
        boot(id);
    }

    private void boot(String id) {
        DaemonProcess before = processes.get(id);
        if (before != null && before.isAlive()) {
            throw new AssertionError(id + " runs already");
        }
        List<String> words = new ArrayList<>(List.of("server", "--new", "--host", "127.0.0.1", "--port", "0"));
        words.addAll(List.of("--data", data(id).toString(), "-S", "server.id=" + serverIds.get(id)));
        words.addAll(arguments);
        List<String> command = JavaLauncher.ofThisProcess().commandLine("-Xmx256m", words);
        processes.put(id, DaemonProcess.start(id, command, directory.resolve(id).resolve("log")));
        boots.merge(id, 1, Integer::sum);
    }

    private Path data(String id) {
        return directory.resolve(id).resolve("data");
    }

    @Override
    public synchronized void stop(String id) {
        DaemonProcess process = processes.get(id);
        if (process != null) {
            process.kill();
        }
    }

    @Override
    public void terminate(String id) {
        stop(id);
    }

    @Override
    public synchronized void close() {
        processes.values().forEach(DaemonProcess::close);
    }
}
