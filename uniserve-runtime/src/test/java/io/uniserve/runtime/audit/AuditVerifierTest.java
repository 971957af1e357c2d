package io.uniserve.runtime.audit;

import static io.uniserve.runtime.audit.AuditLogTest.event;
import static io.uniserve.runtime.audit.AuditLogTest.files;
import static io.uniserve.runtime.audit.AuditLogTest.small;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.runtime.audit.AuditReport.Fault;
import io.uniserve.runtime.audit.AuditReport.FaultKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditVerifierTest {
    private static final int LINES = 50;

    @TempDir
    Path temporary;

    private Path log(AuditOptions options, int lines) {
        try (AuditLog log = AuditLog.open(options, new TestingAuditClock())) {
            for (int i = 0; i < lines; i++) {
                log.write(event("ann \u2028 \"x\"", "t" + i));
            }
        }
        return options.directory();
    }

    private Path one() throws IOException {
        return files(log(AuditOptions.of(temporary.resolve("one"), "s1"), LINES))
                .get(0);
    }

    private static Path parent(Path file) {
        return file.resolveSibling("").toAbsolutePath();
    }

    private static Fault fault(Path path) {
        AuditReport report = AuditVerifier.verify(path);
        assertThat(report.fault()).isPresent();
        return report.fault().orElseThrow();
    }

    private static void edit(Path file, Consumer<List<String>> change) throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(file, StandardCharsets.US_ASCII));
        change.accept(lines);
        Files.writeString(file, String.join("\n", lines) + "\n", StandardCharsets.US_ASCII);
    }

    @Test
    void everyChangedByteIsFound() throws IOException {
        Path file = one();
        byte[] whole = Files.readAllBytes(file);
        int lastLine = whole.length - Files.readAllLines(file).get(LINES - 1).length() - 1;
        Random random = new Random(3);
        int line = 1;
        for (int at = 0; at < whole.length; at++) {
            boolean end = whole[at] == '\n';
            if (end || at >= lastLine || random.nextInt(24) == 0) {
                byte[] changed = whole.clone();
                changed[at] = switch (random.nextInt(3)) {
                    case 0 -> (byte) (whole[at] ^ (1 << random.nextInt(8)));
                    case 1 -> (byte) (whole[at] + 1 + random.nextInt(255));
                    default -> end ? (byte) '\r' : (byte) '\n';
                };
                Files.write(file, changed);
                Fault fault = fault(file);
                FaultKind kind = at == whole.length - 1 ? FaultKind.TORN_END : FaultKind.CHANGED_LINE;
                assertThat(fault.kind()).as("byte %d", at).isEqualTo(kind);
                assertThat(fault.line()).as("byte %d", at).isEqualTo(line);
                assertThat(fault(parent(file)).kind()).isEqualTo(kind);
            }
            line += end ? 1 : 0;
        }
        Files.write(file, whole);
        assertThat(AuditVerifier.verify(file).fault()).isEmpty();
        assertThat(AuditVerifier.verify(file).lines()).isEqualTo(LINES);
    }

    @Test
    void everyDeletedLineButTheLastIsFound() throws IOException {
        Path file = one();
        byte[] whole = Files.readAllBytes(file);
        for (int at = 0; at < LINES - 1; at++) {
            int deleted = at;
            edit(file, lines -> lines.remove(deleted));
            Fault fault = fault(parent(file));
            assertThat(fault.kind()).isEqualTo(FaultKind.MISSING_LINE);
            assertThat(fault.line()).isEqualTo(at + 1);
            Files.write(file, whole);
        }
        edit(file, lines -> lines.remove(LINES - 1));
        assertThat(AuditVerifier.verify(file).fault()).isEmpty();
        assertThat(AuditVerifier.verify(file).last().orElseThrow().sequence()).isEqualTo(LINES - 1);
    }

    @Test
    void swappedAndRepeatedLinesAreFound() throws IOException {
        Path file = one();
        byte[] whole = Files.readAllBytes(file);
        edit(file, lines -> Collections.swap(lines, 10, 30));
        assertThat(fault(file).kind()).isEqualTo(FaultKind.WRONG_ORDER);
        assertThat(fault(file).line()).isEqualTo(11);
        assertThat(AuditVerifier.verify(file).lines()).isEqualTo(10);
        Files.write(file, whole);
        edit(file, lines -> lines.add(20, lines.get(19)));
        assertThat(fault(file).kind()).isEqualTo(FaultKind.WRONG_ORDER);
        assertThat(fault(file).line()).isEqualTo(21);
    }

    @Test
    void appendedAndReplacedForgeriesAreFound() throws IOException {
        Path file = one();
        byte[] whole = Files.readAllBytes(file);
        Instant time = Instant.ofEpochMilli(1_700_000_000_000L);
        String unchained = AuditLineCodec.encode(LINES + 1, time, "s1", event("eve", "x"), "0".repeat(64))
                .line()
                .utf8();
        Files.writeString(file, unchained, StandardOpenOption.APPEND);
        assertThat(fault(file).kind()).isEqualTo(FaultKind.CHANGED_LINE);
        assertThat(fault(file).line()).isEqualTo(LINES + 1);
        assertThat(AuditVerifier.verify(file).isIntact()).isFalse();

        // a line with the right hash of its own, in place of another
        Files.write(file, whole);
        AuditRecord before = AuditLogTest.records(parent(file)).get(19);
        String replaced = AuditLineCodec.encode(21, time, "s1", event("eve", "x"), before.hash())
                .line()
                .utf8()
                .strip();
        edit(file, lines -> lines.set(20, replaced));
        assertThat(fault(file).kind()).isEqualTo(FaultKind.CHANGED_LINE);
        assertThat(fault(file).line()).isEqualTo(22);
        assertThat(fault(file).detail()).contains("previous");

        for (String junk : List.of("", "{}", "null", "x".repeat(100_000), unchained.strip() + " ")) {
            Files.write(file, whole);
            Files.writeString(file, junk + "\n", StandardOpenOption.APPEND);
            assertThat(fault(file).kind()).as(junk).isEqualTo(FaultKind.CHANGED_LINE);
            assertThat(fault(file).line()).isEqualTo(LINES + 1);
        }
    }

    @Test
    void otherFieldsWithARightHashAreFound() throws IOException {
        Path file = one();
        String line = Files.readAllLines(file).get(0);
        String body = line.substring(0, line.length() - 75);
        List<String> bodies = List.of(
                body.replace("\"sequence\":1", "\"sequence\":\"1\""),
                body.replace("\"sequence\":1", "\"sequence\":99999999999999999999"),
                body.replace("\"sequence\":1,", ""),
                body.replace("CHANGE", "change"),
                body.replace("2023-", "x2023-"),
                body.replace("\"reason\":\"\"", "\"reason\":null"),
                body + ",\"more\":1",
                body.replace("{", "[{"),
                body.substring(1));
        for (String other : bodies) {
            assertThat(other).isNotEqualTo(body);
            String hash = Sha256.hex(Bytes.utf8(other));
            Files.writeString(file, other + ",\"hash\":\"" + hash + "\"}\n");
            assertThat(fault(file).kind()).as(other).isEqualTo(FaultKind.CHANGED_LINE);
        }
    }

    @Test
    void missingMovedAndEmptiedFilesAreFound() throws IOException {
        Path directory = log(small(temporary.resolve("many"), 100), 300);
        List<Path> all = files(directory);
        assertThat(all.size()).isGreaterThan(5);
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
        Path middle = all.get(2);
        byte[] bytes = Files.readAllBytes(middle);

        Files.delete(middle);
        assertThat(fault(directory).kind()).isEqualTo(FaultKind.MISSING_FILE);
        assertThat(fault(directory).file()).isEqualTo(middle.getFileName().toString());
        Files.write(middle, new byte[0]);
        assertThat(fault(directory).kind()).isEqualTo(FaultKind.MISSING_LINE);
        assertThat(fault(directory).file()).isEqualTo(middle.getFileName().toString());
        Files.write(middle, Arrays.copyOf(bytes, bytes.length - 1));
        assertThat(fault(directory).kind()).isEqualTo(FaultKind.CHANGED_LINE);
        Files.write(middle, bytes);
        edit(middle, lines -> lines.remove(lines.size() - 1));
        assertThat(fault(directory).kind()).isEqualTo(FaultKind.MISSING_FILE);
        Files.write(middle, Files.readAllBytes(all.get(1)));
        assertThat(fault(directory).kind()).isEqualTo(FaultKind.WRONG_ORDER);
        Files.write(middle, bytes);
        Path other = directory.resolve("audit-00000000000000000002.jsonl");
        Files.move(middle, other);
        assertThat(AuditVerifier.verify(directory).isIntact()).isFalse();
        Files.move(other, middle);
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();

        // what rotation does, too
        Files.delete(all.get(0));
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
    }

    @Test
    void noLogIsAnError() throws IOException {
        assertThatThrownBy(() -> AuditVerifier.verify(temporary.resolve("absent")))
                .hasMessageContaining("INVALID_ARGUMENT")
                .hasMessageContaining("no files audit-*.jsonl");
        Files.writeString(temporary.resolve("audit-1.jsonl"), "x\n");
        assertThatThrownBy(() -> AuditVerifier.verify(temporary)).hasMessageContaining("no files audit-*.jsonl");
    }
}
