package io.uniserve.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class CpuPinningTest {
    private static final String NAME = "cores-test-with-a-long-name";

    @Test
    void listsAreRead() {
        assertThat(CpuPinning.parse("")).isEmpty();
        assertThat(CpuPinning.parse("3")).containsExactly(3);
        assertThat(CpuPinning.parse("0-2,5,7-8")).containsExactly(0, 1, 2, 5, 7, 8);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void threadsGetACoreByNameUntilItIsClosed() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        Thread thread = new Thread(
                () -> {
                    try {
                        over.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                NAME);
        thread.start();
        String all = CpuPinning.allowedTo(Path.of("/proc/self"));
        try (CpuPinning cores = CpuPinning.ofThisProcess()) {
            assertThat(cores.count()).isEqualTo(CpuPinning.parse(all).size()).isPositive();
            int last = cores.count() - 1;
            cores.pinThreads(last, List.of(NAME));
            assertThat(CpuPinning.parse(allowedTo(NAME)))
                    .containsExactly(CpuPinning.parse(all).get(last));
            assertThat(allowedTo("Reference Handler")).as("another's").isEqualTo(all);
        } finally {
            assertThat(allowedTo(NAME)).isEqualTo(all);
            over.countDown();
            thread.join();
        }
    }

    private static String allowedTo(String thread) throws IOException {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : tasks.toList()) {
                if (Files.readString(task.resolve("comm"))
                        .strip()
                        .equals(thread.substring(0, Math.min(15, thread.length())))) {
                    return CpuPinning.allowedTo(task);
                }
            }
        }
        throw new AssertionError("no such thread: " + thread);
    }
}
