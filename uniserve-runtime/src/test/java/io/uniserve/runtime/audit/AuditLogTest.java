package io.uniserve.runtime.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Done;
import io.uniserve.runtime.audit.AuditEvent.Kind;
import io.uniserve.runtime.audit.AuditEvent.Outcome;
import io.uniserve.runtime.audit.AuditOptions.FailurePolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {
    static final int SMALL_FILE = Limits.AUDIT_LINE_BYTES_MAX;

    @TempDir
    Path temporary;

    private Path directory;

    @BeforeEach
    void chooseDirectory() {
        directory = temporary.resolve("audit");
    }

    static AuditEvent event(String principal, String object) {
        return new AuditEvent(Kind.CHANGE, principal, "10.0.0.9:51000", "CreateTable", object, Outcome.OK, "");
    }

    static AuditOptions small(Path directory, int files) {
        return new AuditOptions(directory, "s1", SMALL_FILE, files, true, FailurePolicy.REFUSE_CHANGES);
    }

    private AuditLog open() {
        return AuditLog.open(AuditOptions.of(directory, "s1"), new TestingAuditClock());
    }

    static List<AuditRecord> records(Path directory) {
        List<String> faults = new ArrayList<>();
        List<AuditRecord> all = new AuditTail(directory, line -> true, faults::add).last(Integer.MAX_VALUE);
        assertThat(faults).isEmpty();
        return all;
    }

    static List<Path> files(Path directory) throws IOException {
        try (var entries = Files.list(directory)) {
            return entries.filter(file -> file.toString().endsWith(".jsonl"))
                    .sorted()
                    .toList();
        }
    }

    private static String sha256(String text) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void linesHaveAllFieldsAndTheHashOfTheLineBefore() throws Exception {
        try (AuditLog log = open()) {
            log.write(event("ann", "speeches"));
            log.write(new AuditEvent(Kind.REFUSAL, "bob", "", "DropTable", "t", Outcome.REFUSED, "no permission"));
        }
        List<String> lines = Files.readAllLines(directory.resolve("audit-00000000000000000001.jsonl"));
        String first = "{\"sequence\":1,\"time\":\"2023-11-14T22:13:20Z\",\"process\":\"s1\",\"kind\":\"CHANGE\","
                + "\"principal\":\"ann\",\"address\":\"10.0.0.9:51000\",\"action\":\"CreateTable\","
                + "\"object\":\"speeches\",\"outcome\":\"OK\",\"reason\":\"\",\"previous\":\"" + "0".repeat(64) + "\"";
        String hash = sha256(first);
        String second = "{\"sequence\":2,\"time\":\"2023-11-14T22:13:20.001Z\",\"process\":\"s1\","
                + "\"kind\":\"REFUSAL\",\"principal\":\"bob\",\"address\":\"\",\"action\":\"DropTable\","
                + "\"object\":\"t\",\"outcome\":\"REFUSED\",\"reason\":\"no permission\",\"previous\":\"" + hash + "\"";
        assertThat(lines)
                .containsExactly(
                        first + ",\"hash\":\"" + hash + "\"}", second + ",\"hash\":\"" + sha256(second) + "\"}");
    }

    @Test
    void hostileTextsStayOnOneLine() throws IOException {
        List<String> hostile = List.of(
                "",
                "ann\n{\"sequence\":2}",
                "a\r\nb",
                "quote \" backslash \\ \",\"hash\":\"" + "0".repeat(64) + "\"}",
                "\u2028\u2029\u0085\u0000\u001b[2J\u007f\u009b",
                "\u202egnol",
                "\ud83d\ude00 beyond U+FFFF",
                "null",
                "\u00e9\ufffd\uffff\ufeff");
        try (AuditLog log = open()) {
            for (String text : hostile) {
                log.write(new AuditEvent(Kind.LOGIN, text, text, text, text, Outcome.FAILED, text));
            }
        }
        byte[] bytes = Files.readAllBytes(files(directory).get(0));
        assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).matches("([ -~\\x7f]+\\n){9}");
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
        assertThat(records(directory).stream().map(line -> line.event().principal()))
                .containsExactlyElementsOf(hostile);
        assertThat(records(directory).stream().map(line -> line.event().reason()))
                .containsExactlyElementsOf(hostile);
    }

    @Test
    void longTextsAndLoneSurrogatesAreBounded() {
        String emoji = "\ud83d\ude00";
        List<String> given =
                List.of("x".repeat(10_000), emoji.repeat(5_000), "a" + emoji.repeat(5_000), "a\ud83d", "\udc00b");
        try (AuditLog log = open()) {
            given.forEach(text -> log.write(event(text, "\u0001".repeat(10_000))));
        }
        assertThat(records(directory).stream().map(line -> line.event().principal()))
                .containsExactly(
                        "x".repeat(255) + "\u2026",
                        emoji.repeat(127) + "\u2026",
                        "a" + emoji.repeat(127) + "\u2026",
                        "a\ufffd",
                        "\ufffdb");
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
    }

    @Test
    void theLongestLineIsWithinTheLimit() {
        String worst = "\u0001".repeat(10_000);
        AuditEvent event = new AuditEvent(Kind.REFUSAL, worst, worst, worst, worst, Outcome.REFUSED, worst);
        Instant time = Instant.ofEpochMilli(Long.MIN_VALUE);
        AuditLineCodec.Encoded line =
                AuditLineCodec.encode(Long.MAX_VALUE, time, AuditEvent.bounded(worst), event, "f".repeat(64));
        assertThat(line.line().size()).isBetween(9_000, Limits.AUDIT_LINE_BYTES_MAX);
        AuditRecord decoded =
                AuditLineCodec.decode(line.line().slice(0, line.line().size() - 1));
        assertThat(decoded.event()).isEqualTo(event);
        assertThat(decoded.time()).isEqualTo(time);
    }

    @Test
    void aRestartContinuesTheChain() {
        for (int i = 0; i < 5; i++) {
            try (AuditLog log = open()) {
                log.write(event("ann", "t" + i));
            }
        }
        try (AuditLog log = open()) {
            assertThat(log.lostEvents()).isZero();
        }
        AuditReport report = AuditVerifier.verify(directory);
        assertThat(report.fault()).isEmpty();
        assertThat(report.lines()).isEqualTo(5);
    }

    @Test
    void filesRotateAndTheOldestAreDeleted() throws IOException {
        int written = 400;
        try (AuditLog log = AuditLog.open(small(directory, 3), new TestingAuditClock())) {
            for (int i = 0; i < written; i++) {
                log.write(event("ann", "t" + i));
                assertThat(files(directory).size()).isLessThanOrEqualTo(3);
            }
        }
        List<Path> files = files(directory);
        assertThat(files).hasSize(3);
        for (Path file : files) {
            assertThat(Files.size(file)).isLessThanOrEqualTo(SMALL_FILE);
            assertThat(AuditVerifier.verify(file).fault()).isEmpty();
        }
        AuditReport report = AuditVerifier.verify(directory);
        assertThat(report.fault()).isEmpty();
        assertThat(report.files()).isEqualTo(3);
        assertThat(report.last().orElseThrow().sequence()).isEqualTo(written);
        long first = report.first().orElseThrow().sequence();
        assertThat(first).isGreaterThan(1).isEqualTo(written - report.lines() + 1);
        assertThat(files.get(0).getFileName()).hasToString("audit-%020d.jsonl".formatted(first));
    }

    @Test
    void aBatchMayFillSeveralFiles() throws IOException {
        List<CompletableFuture<Done>> all = new ArrayList<>();
        try (AuditLog log = AuditLog.open(small(directory, 100), new TestingAuditClock())) {
            for (int i = 0; i < 1_000; i++) {
                all.add(log.append(event("ann", "t" + i)));
            }
        }
        assertThat(all).allMatch(written -> written.isDone() && !written.isCompletedExceptionally());
        assertThat(files(directory).size()).isGreaterThan(20);
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
        assertThat(records(directory).stream().map(line -> line.event().object()))
                .containsExactlyElementsOf(
                        IntStream.range(0, 1_000).mapToObj(i -> "t" + i).toList());
    }

    @Test
    void anEmptyFileAfterACrashIsContinued() throws IOException {
        try (AuditLog log = open()) {
            log.write(event("ann", "a"));
        }
        Files.createFile(directory.resolve("audit-00000000000000000002.jsonl"));
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
        try (AuditLog log = open()) {
            log.write(event("ann", "b"));
        }
        assertThat(files(directory)).hasSize(2);
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
        assertThat(records(directory)).hasSize(2);
    }

    @Test
    void aTornLastLineIsRemovedAtEveryByte() throws IOException {
        try (AuditLog log = open()) {
            log.write(event("ann", "a"));
            log.write(event("ann", "b"));
            log.write(event("ann", "c"));
        }
        Path file = files(directory).get(0);
        byte[] whole = Files.readAllBytes(file);
        int last = new String(whole, 0, whole.length - 1, StandardCharsets.US_ASCII).lastIndexOf('\n') + 1;
        for (int cut = last; cut < whole.length; cut++) {
            Files.write(file, Arrays.copyOf(whole, cut));
            AuditReport torn = AuditVerifier.verify(directory);
            assertThat(torn.isIntact()).isTrue();
            assertThat(torn.lines()).isEqualTo(2);
            assertThat(torn.fault().map(AuditReport.Fault::kind))
                    .isEqualTo(cut == last ? Optional.empty() : Optional.of(AuditReport.FaultKind.TORN_END));
            try (AuditLog log = open()) {
                log.write(event("ann", "d"));
            }
            assertThat(AuditVerifier.verify(directory).fault())
                    .as("after byte %d", cut)
                    .isEmpty();
            List<String> actions = records(directory).stream()
                    .map(line -> line.event().action())
                    .toList();
            if (cut == last) {
                assertThat(actions).containsExactly("CreateTable", "CreateTable", "CreateTable");
            } else {
                assertThat(actions).containsExactly("CreateTable", "CreateTable", "TornLineRemoved", "CreateTable");
                assertThat(records(directory).get(2).event().reason()).startsWith(cut - last + " bytes");
            }
        }
    }

    @Test
    void aFirstLineThatIsTornAndATornFullFileAreRepaired() throws IOException {
        Files.createDirectories(directory);
        Path file = directory.resolve("audit-00000000000000000001.jsonl");
        Files.writeString(file, "{\"seq");
        try (AuditLog log = open()) {
            log.write(event("ann", "a"));
        }
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
        Files.writeString(file, "\u0000".repeat(SMALL_FILE), StandardOpenOption.APPEND);
        try (AuditLog log = AuditLog.open(small(directory, 3), new TestingAuditClock())) {
            for (int i = 0; i < 100; i++) {
                log.write(event("ann", "b" + i));
            }
        }
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
    }

    @Test
    void aTornLineOfAFullFileIsRemovedBeforeTheNextFile() throws IOException {
        AuditEvent shortest = new AuditEvent(Kind.LOGIN, "", "", "", "", Outcome.OK, "");
        try (AuditLog log = AuditLog.open(small(directory, 9), new TestingAuditClock())) {
            while (files(directory).size() < 2) {
                log.write(shortest);
            }
        }
        Files.delete(files(directory).get(1));
        Files.writeString(files(directory).get(0), "{\"seq", StandardOpenOption.APPEND);
        try (AuditLog log = AuditLog.open(small(directory, 9), new TestingAuditClock())) {
            log.write(shortest);
        }
        assertThat(files(directory)).hasSize(2);
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
    }

    @Test
    void aDamagedLastLineIsNotContinued() throws IOException {
        try (AuditLog log = open()) {
            log.write(event("ann", "a"));
        }
        Path file = files(directory).get(0);
        Files.writeString(file, "{}\n", StandardOpenOption.APPEND);
        byte[] before = Files.readAllBytes(file);
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT))
                .hasMessageContaining("line 2")
                .hasMessageContaining("uniserve audit verify");
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        Files.write(file, new byte[0]);
        Files.move(file, directory.resolve("audit-00000000000000000007.jsonl"));
        assertThatThrownBy(this::open).hasMessageContaining("CORRUPT").hasMessageContaining("line 6");
    }

    @Test
    void oneLogPerDirectory() {
        try (AuditLog log = open()) {
            assertThatThrownBy(this::open)
                    .hasMessageContaining("INVALID_CONFIGURATION")
                    .hasMessageContaining("in use");
            log.write(event("ann", "a"));
        }
        AuditLog closed = open();
        closed.close();
        closed.close();
        assertThatThrownBy(() -> closed.write(event("ann", "b"))).hasMessageContaining("UNAVAILABLE");
        assertThat(records(directory)).hasSize(1);
    }

    @Test
    void wrongOptionsAndEventsAreRefused() {
        assertThatThrownBy(() -> new AuditOptions(directory, " ", SMALL_FILE, 2, true, FailurePolicy.REFUSE_CHANGES))
                .hasMessageContaining("process");
        assertThatThrownBy(
                        () -> new AuditOptions(directory, "s", SMALL_FILE - 1, 2, true, FailurePolicy.REFUSE_CHANGES))
                .hasMessageContaining("file size");
        assertThatThrownBy(() -> new AuditOptions(directory, "s", SMALL_FILE, 1, true, FailurePolicy.REFUSE_CHANGES))
                .hasMessageContaining("number of files");
        try (AuditLog log = open()) {
            AuditEvent own = new AuditEvent(Kind.LOG, "", "", "EventsLost", "", Outcome.OK, "");
            assertThatThrownBy(() -> log.append(own)).hasMessageContaining("INVALID_ARGUMENT");
        }
    }
}
