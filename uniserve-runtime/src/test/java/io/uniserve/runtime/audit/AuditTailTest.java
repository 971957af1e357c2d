package io.uniserve.runtime.audit;

import static io.uniserve.runtime.audit.AuditLogTest.event;
import static io.uniserve.runtime.audit.AuditLogTest.files;
import static io.uniserve.runtime.audit.AuditLogTest.small;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditTailTest {
    @TempDir
    Path temporary;

    private final List<String> faults = new ArrayList<>();

    private static List<Long> sequences(List<AuditRecord> lines) {
        return lines.stream().map(AuditRecord::sequence).toList();
    }

    @Test
    void theLastLinesOverFilesAndNewOnes() throws IOException {
        Path directory = temporary.resolve("log");
        try (AuditLog log = AuditLog.open(small(directory, 100), new TestingAuditClock())) {
            for (int i = 1; i <= 200; i++) {
                log.write(event(i % 50 == 0 ? "eve" : "ann", "t"));
            }
            AuditTail tail =
                    new AuditTail(directory, line -> line.event().principal().equals("eve"), faults::add);
            assertThat(sequences(tail.last(3))).containsExactly(100L, 150L, 200L);
            assertThat(sequences(tail.last(9))).containsExactly(50L, 100L, 150L, 200L);
            assertThat(tail.poll()).isEmpty();
            AuditTail all = new AuditTail(directory, line -> true, faults::add);
            assertThat(sequences(all.last(2))).containsExactly(199L, 200L);
            List<Long> polled = new ArrayList<>();
            for (int i = 201; i <= 400; i++) {
                log.write(event("ann", "t"));
                if (i % 7 == 0 || i > 390) {
                    polled.addAll(sequences(all.poll()));
                }
            }
            assertThat(polled)
                    .hasSize(200)
                    .startsWith(201L)
                    .endsWith(400L)
                    .isSorted()
                    .doesNotHaveDuplicates();
            assertThat(faults).isEmpty();
        }
    }

    @Test
    void tornEndsAreSkippedAndDamagedLinesReported() throws IOException {
        Path directory = temporary.resolve("log");
        try (AuditLog log = AuditLog.open(AuditOptions.of(directory, "s1"), new TestingAuditClock())) {
            log.write(event("ann", "a"));
            log.write(event("ann", "b"));
        }
        Path file = files(directory).get(0);
        String second = Files.readAllLines(file).get(1) + "\n";
        Files.writeString(file, Files.readAllLines(file).get(0) + "\n" + second.substring(0, 40));
        AuditTail tail = new AuditTail(directory, line -> true, faults::add);
        assertThat(sequences(tail.last(10))).containsExactly(1L);
        assertThat(tail.poll()).isEmpty();
        Files.writeString(file, second.substring(40), StandardOpenOption.APPEND);
        assertThat(sequences(tail.poll())).containsExactly(2L);
        assertThat(faults).isEmpty();
        Files.writeString(file, "forged\n", StandardOpenOption.APPEND);
        assertThat(tail.poll()).isEmpty();
        assertThat(sequences(tail.last(10))).containsExactly(1L, 2L);
        assertThat(faults).hasSize(2);
        assertThat(faults.get(1)).contains("line 3 is too short");
        Files.writeString(file, "");
        assertThat(tail.poll()).isEmpty();
    }
}
