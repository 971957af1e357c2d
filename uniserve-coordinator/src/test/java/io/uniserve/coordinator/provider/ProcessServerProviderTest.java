package io.uniserve.coordinator.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.ServerProvider.Instance;
import io.uniserve.protocol.env.ServerProvider.Launch;
import io.uniserve.protocol.env.ServerProvider.Status;
import io.uniserve.runtime.time.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, which sleep instead of serving. */
class ProcessServerProviderTest {
    private static final String TOKEN = "00112233445566778899aabbccddeeff";
    private static final String CLUSTER = "cluster-1";

    /** Shell that records its arguments and becomes a process with the token in its command line. */
    private static final List<String> SLEEPS = List.of(
            "/bin/sh", "-c", "mkdir -p \"$5\"; echo \"$@\" >>\"$5/starts\"; while :; do sleep 1; done", "server");

    /** The same, deaf to SIGTERM. */
    private static final List<String> DEAF = List.of(
            "/bin/sh",
            "-c",
            "trap '' TERM; mkdir -p \"$5\"; echo up >\"$5/starts\"; while :; do sleep 1; done",
            "server");

    @TempDir
    Path directory;

    @AfterEach
    void killAll() throws IOException {
        for (String token : List.of(TOKEN, TOKEN.replace('0', '1'))) {
            pid(token).ifPresent(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        }
    }

    private java.util.Optional<Long> pid(String token) throws IOException {
        Path file = directory.resolve("servers").resolve(token).resolve("pid");
        return Files.exists(file)
                ? java.util.Optional.of(Long.parseLong(Files.readString(file).strip()))
                : java.util.Optional.empty();
    }

    private ProcessServerProvider provider(List<String> command, long graceNanos) {
        return new ProcessServerProvider(
                directory.resolve("servers"),
                command,
                List.of("--zone", "z1"),
                graceNanos,
                SystemClock.INSTANCE,
                Runnable::run);
    }

    private static <T> Outcome<T> outcome(Consumer<io.uniserve.protocol.env.Completion<T>> call) {
        CompletableFuture<Outcome<T>> future = new CompletableFuture<>();
        call.accept(future::complete);
        return future.join();
    }

    private static Instance launch(ProcessServerProvider provider, String token) {
        Launch launch = new Launch(CLUSTER, token, ScalingInstance.serverId(token), "", 1);
        return ProcessServerProviderTest.<Instance>outcome(done -> provider.launch(launch, done))
                .value();
    }

    private static List<Instance> list(ProcessServerProvider provider, String identity) {
        return ProcessServerProviderTest.<List<Instance>>outcome(done -> provider.list(identity, done))
                .value();
    }

    private static void terminate(ProcessServerProvider provider, String id) {
        assertThat(ProcessServerProviderTest.<Done>outcome(done -> provider.terminate(id, done))
                        .value())
                .isEqualTo(Done.DONE);
    }

    private static Status status(ProcessServerProvider provider) {
        return list(provider, CLUSTER).stream()
                .filter(one -> one.token().equals(TOKEN))
                .findFirst()
                .orElseThrow()
                .status();
    }

    private List<String> starts() throws IOException {
        Path file = directory.resolve("servers").resolve(TOKEN).resolve("data").resolve("starts");
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    @Test
    void aTokenStartsOneProcess() throws IOException {
        try (ProcessServerProvider provider = provider(SLEEPS, 0)) {
            assertThat(launch(provider, TOKEN).status()).isEqualTo(Status.RUNNING);
            await().until(() -> !starts().isEmpty());
            assertThat(launch(provider, TOKEN).id()).isEqualTo(TOKEN);
            assertThat(status(provider)).isEqualTo(Status.RUNNING);
            assertThat(starts())
                    .singleElement()
                    .asString()
                    .contains("server.id=auto-" + TOKEN)
                    .contains("--new")
                    .endsWith("--port 0 --zone z1");
            assertThat(list(provider, "another cluster")).isEmpty();
        }
    }

    @Test
    void aKilledProcessIsStoppedAndStartsAgainWithItsData() throws IOException {
        try (ProcessServerProvider provider = provider(SLEEPS, 0)) {
            launch(provider, TOKEN);
            await().until(() -> starts().size() == 1);
            ProcessHandle.of(pid(TOKEN).orElseThrow()).orElseThrow().destroyForcibly();
            await().until(() -> status(provider) == Status.STOPPED);
            launch(provider, TOKEN);
            await().until(() -> starts().size() == 2);
            assertThat(status(provider)).isEqualTo(Status.RUNNING);
        }
    }

    @Test
    void aTerminatedServerIsGoneWithItsDataAndNeverStartsAgain() throws IOException {
        try (ProcessServerProvider provider = provider(SLEEPS, Long.MAX_VALUE)) {
            launch(provider, TOKEN);
            await().until(() -> starts().size() == 1);
            terminate(provider, TOKEN);
            await().until(() -> status(provider) == Status.ENDED);
            assertThat(directory.resolve("servers").resolve(TOKEN).resolve("data"))
                    .doesNotExist();
            assertThat(launch(provider, TOKEN).status()).isEqualTo(Status.ENDED);
            assertThat(status(provider)).isEqualTo(Status.ENDED);
            terminate(provider, TOKEN);
        }
    }

    @Test
    void aServerThatDoesNotStopIsKilled() {
        try (ProcessServerProvider provider = provider(DEAF, 0)) {
            launch(provider, TOKEN);
            await().until(() -> starts().size() == 1);
            terminate(provider, TOKEN);
            assertThat(status(provider)).isEqualTo(Status.RUNNING);
            await().until(() -> {
                terminate(provider, TOKEN);
                return status(provider) == Status.ENDED;
            });
        }
    }

    @Test
    void anotherCoordinatorGoesOnWithTheSameServers() {
        try (ProcessServerProvider first = provider(SLEEPS, 0)) {
            launch(first, TOKEN);
            await().until(() -> starts().size() == 1);
        }
        try (ProcessServerProvider second = provider(SLEEPS, Long.MAX_VALUE)) {
            assertThat(status(second)).isEqualTo(Status.RUNNING);
            launch(second, TOKEN);
            assertThat(starts()).hasSize(1);
            terminate(second, TOKEN);
            await().until(() -> status(second) == Status.ENDED);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void aProcessIdOfAnotherProcessIsNotTakenForTheServer() throws IOException {
        try (ProcessServerProvider provider = provider(SLEEPS, 0)) {
            launch(provider, TOKEN);
            await().until(() -> starts().size() == 1);
            long server = pid(TOKEN).orElseThrow();
            Files.writeString(
                    directory.resolve("servers").resolve(TOKEN).resolve("pid"),
                    Long.toString(ProcessHandle.current().pid()));
            assertThat(status(provider)).isEqualTo(Status.STOPPED);
            terminate(provider, TOKEN);
            assertThat(ProcessHandle.current().isAlive()).isTrue();
            ProcessHandle.of(server).orElseThrow().destroyForcibly();
            Files.delete(directory.resolve("servers").resolve(TOKEN).resolve("pid"));
        }
    }

    @Test
    void namesThatAreNoTokensAreRefused() {
        try (ProcessServerProvider provider = provider(SLEEPS, 0)) {
            Outcome<Done> outcome = outcome(done -> provider.terminate("../../etc", done));
            assertThat(outcome.error().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(list(provider, CLUSTER)).isEmpty();
        }
    }
}
