package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.command.ExitCode;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.ParentProcessWatcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A command that starts daemons and is killed leaves none of them running, and leaves its files only after SIGKILL. */
@Timeout(300)
class AbandonedCommandIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int SIGTERM = 15;
    private static final int SIGKILL = 9;

    /** ZooKeeper, the coordinator and both servers. */
    private static final int DAEMONS = 4;

    @TempDir
    private Path directory;

    @Test
    void sigtermEndsItsDaemonsAndDeletesItsFiles() throws IOException {
        DaemonProcess demo = demo();
        List<ProcessHandle> daemons = daemons(demo);
        assertThat(files()).isNotEmpty();
        demo.terminate();
        assertThat(demo.awaitExit()).isEqualTo(ExitCode.ofSignal(SIGTERM));
        await().atMost(PATIENCE).until(() -> daemons.stream().noneMatch(ProcessHandle::isAlive));
        assertThat(files()).isEmpty();
    }

    @Test
    void sigkillEndsItsDaemons() {
        DaemonProcess demo = demo();
        List<ProcessHandle> daemons = daemons(demo);
        demo.kill();
        await().atMost(PATIENCE).until(() -> daemons.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Test
    void aDaemonThatBeginsAfterTheEndOfItsCommandEndsAtOnce() throws Exception {
        Process command = new ProcessBuilder("true").start();
        assertThat(command.waitFor()).isZero();
        JavaLauncher java = JavaLauncher.ofThisProcess();
        List<String> words = new ArrayList<>(java.commandLine("-Xmx64m", List.of("--version")));
        words.replaceAll(
                word -> word.equals(ParentProcessWatcher.flag()) ? ParentProcessWatcher.flag(command.pid()) : word);
        DaemonProcess daemon = DaemonProcess.start("late", words, directory.resolve("late.log"));
        assertThat(daemon.awaitExit()).isEqualTo(ExitCode.ofSignal(SIGKILL));
    }

    private DaemonProcess demo() {
        JavaLauncher java = JavaLauncher.ofThisProcess();
        List<String> words = new ArrayList<>(java.commandLine("-Xmx256m", List.of("demo", "--servers", "2")));
        words.add(1, "-Djava.io.tmpdir=" + directory);
        return DaemonProcess.start("demo", words, directory.resolve("demo.log"));
    }

    private static List<ProcessHandle> daemons(DaemonProcess demo) {
        ProcessHandle command = ProcessHandle.of(demo.pid()).orElseThrow();
        await("its daemons run")
                .atMost(PATIENCE)
                .until(() -> command.descendants().count() == DAEMONS);
        return command.descendants().toList();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith("uniserve-demo"))
                    .toList();
        }
    }
}
