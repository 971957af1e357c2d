package io.uniserve.cli.process;

import static org.awaitility.Awaitility.await;

import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Cluster of processes with a client, after the coordinator has every server, and access to its files. */
final class StartedCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final ProcessCluster processes;
    private UniserveClient client;

    private StartedCluster(ProcessCluster processes) {
        this.processes = processes;
        this.client = connected();
    }

    /** Starts JVMs with one compiler: that saves a third of the CPU of tests whose processes live for a minute. */
    static StartedCluster start(ProcessClusterOptions options) {
        ProcessCluster processes = new ProcessCluster(options.withFastStart());
        try {
            processes.start();
            StartedCluster started = new StartedCluster(processes);
            await("the coordinator sees every server")
                    .atMost(PATIENCE)
                    .until(() ->
                            started.client.admin().status().routing().servers().size() == options.servers());
            await("so does the client")
                    .atMost(PATIENCE)
                    .until(() -> started.client.routing().servers().size() == options.servers());
            return started;
        } catch (RuntimeException | AssertionError e) {
            processes.close();
            throw e;
        }
    }

    /** Creates a client with long time-outs. */
    private UniserveClient connected() {
        return UniserveClient.builder()
                .bootstrap(processes.bootstrap().toArray(String[]::new))
                .deadline(Duration.ofSeconds(60))
                .connectTimeout(Duration.ofSeconds(60))
                .build();
    }

    ProcessCluster processes() {
        return processes;
    }

    UniserveClient client() {
        return client;
    }

    /** Replaces the closed client by a new one. */
    void reconnect() {
        client = connected();
    }

    /** Returns the daemon of this server. */
    String daemon(ServerId id) {
        Address address = client.routing().servers().stream()
                .filter(server -> server.id().equals(id))
                .findAny()
                .orElseThrow()
                .address();
        return processes.daemons().keySet().stream()
                .filter(name ->
                        name.startsWith("server-") && processes.address(name).equals(address))
                .findAny()
                .orElseThrow();
    }

    /** Returns the daemon of the actor's primary, by the coordinator. */
    String primary(String table, int actor) {
        return daemon(
                client.admin().describeTable(table).map().actors().get(actor).primary());
    }

    /** Runs {@code uniserve} in this process against the cluster's servers. */
    Run run(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("-b", String.join(",", processes.bootstrap())));
        return new TestingConsole(RemoteCluster::connect).run(all.toArray(String[]::new));
    }

    /** Returns the log of a daemon. */
    String log(String daemon) {
        try {
            return Files.readString(processes.directory().resolve("logs").resolve(daemon + ".log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the files in a directory of the cluster whose relative path contains this part; daemons may delete some concurrently. */
    List<Path> files(String directory, String part) {
        Path root = processes.directory();
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(root.resolve(directory), new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (attributes.isRegularFile()
                            && root.relativize(file).toString().contains(part)) {
                        found.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                    return goneOr(e);
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) throws IOException {
                    return e == null ? FileVisitResult.CONTINUE : goneOr(e);
                }
            });
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FileVisitResult goneOr(IOException e) throws IOException {
        if (e instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw e;
    }

    @Override
    public void close() {
        client.close();
        processes.close();
    }
}
