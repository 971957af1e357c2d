package io.uniserve.runtime.audit;

import static io.uniserve.runtime.audit.AuditLogTest.event;
import static io.uniserve.runtime.audit.AuditLogTest.files;
import static io.uniserve.runtime.audit.AuditLogTest.records;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Done;
import io.uniserve.runtime.audit.AuditOptions.FailurePolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The audit log on disks that are full, fail or hang, and under many threads. */
class AuditLogFaultsTest {
    @TempDir
    Path directory;

    private final TestingAuditFileSystem disk = new TestingAuditFileSystem();

    private AuditLog open(FailurePolicy policy, long fileBytes) {
        AuditOptions options = new AuditOptions(directory, "s1", fileBytes, 1_000, true, policy);
        return AuditLog.open(options, new TestingAuditClock(), disk);
    }

    private AuditLog open(FailurePolicy policy) {
        return open(policy, Limits.AUDIT_FILE_BYTES_DEFAULT);
    }

    private List<String> objects() {
        return records(directory).stream().map(line -> line.event().object()).toList();
    }

    private List<String> actions() {
        return records(directory).stream().map(line -> line.event().action()).toList();
    }

    @Test
    void aFullDiskRefusesChangesUntilItHasRoom() {
        try (AuditLog log = open(FailurePolicy.REFUSE_CHANGES)) {
            log.write(event("ann", "a"));
            for (long room : new long[] {100, 0, 1}) {
                disk.room(room);
                assertThatThrownBy(() -> log.write(event("ann", "b")))
                        .isInstanceOfSatisfying(
                                UniserveException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL))
                        .hasMessageContaining("audit log " + directory)
                        .hasMessageContaining("free or add space");
            }
            assertThat(log.lostEvents()).isEqualTo(3);
            disk.room(Long.MAX_VALUE);
            log.write(event("ann", "c"));
        }
        assertThat(objects()).containsExactly("a", "", "c");
        assertThat(records(directory).get(1).event().action()).isEqualTo("EventsLost");
        assertThat(records(directory).get(1).event().reason()).isEqualTo("lost events: 3");
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
    }

    @Test
    void theOtherPolicyContinuesAndCounts() {
        try (AuditLog log = open(FailurePolicy.CONTINUE_AND_COUNT)) {
            log.write(event("ann", "a"));
            disk.room(50);
            for (int i = 0; i < 7; i++) {
                log.write(event("ann", "b"));
            }
            assertThat(log.lostEvents()).isEqualTo(7);
            disk.room(Long.MAX_VALUE);
            log.write(event("ann", "c"));
            assertThat(log.lostEvents()).isEqualTo(7);
            disk.room(0);
            log.write(event("ann", "d"));
            disk.room(Long.MAX_VALUE);
        }
        assertThat(actions()).containsExactly("CreateTable", "EventsLost", "CreateTable", "EventsLost");
        assertThat(records(directory).get(1).event().reason()).isEqualTo("lost events: 7");
        assertThat(records(directory).get(3).event().reason()).isEqualTo("lost events: 1");
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
    }

    @Test
    void failedSyncsAndOpensRefuse() {
        try (AuditLog log = open(FailurePolicy.REFUSE_CHANGES)) {
            log.write(event("ann", "a"));
            disk.fail(true, false, false);
            assertThatThrownBy(() -> log.write(event("ann", "b"))).hasMessageContaining("IO: audit log");
            disk.fail(false, true, false);
            assertThatThrownBy(() -> log.write(event("ann", "c"))).hasMessageContaining("IO: audit log");
            disk.fail(false, false, false);
            log.write(event("ann", "d"));
        }
        assertThat(objects()).containsExactly("a", "", "d");
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
    }

    @Test
    void aDiskThatIsFullAtTheStartAndAtTheEnd() throws IOException {
        disk.room(0);
        try (AuditLog log = open(FailurePolicy.REFUSE_CHANGES)) {
            assertThatThrownBy(() -> log.write(event("ann", "a"))).hasMessageContaining("DISK_FULL");
        }
        assertThat(AuditVerifier.verify(directory).lines()).isZero();
        disk.room(Long.MAX_VALUE);
        try (AuditLog log = open(FailurePolicy.REFUSE_CHANGES)) {
            log.write(event("ann", "b"));
        }
        assertThat(objects()).containsExactly("b");
        assertThat(files(directory)).hasSize(1);
    }

    @Test
    void filesThatCannotBeDeletedStay() throws IOException {
        disk.fail(false, false, true);
        AuditOptions two = AuditLogTest.small(directory, 2);
        try (AuditLog log = AuditLog.open(two, new TestingAuditClock(), disk)) {
            for (int i = 0; i < 200; i++) {
                log.write(event("ann", "t" + i));
            }
            assertThat(files(directory).size()).isGreaterThan(2);
            disk.fail(false, false, false);
            for (int i = 0; i < 100; i++) {
                log.write(event("ann", "t" + i));
            }
        }
        assertThat(files(directory)).hasSize(2);
        assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void randomFaultsLoseNoAcknowledgedEvent(long seed) {
        Random random = new Random(seed);
        List<String> acknowledged = new ArrayList<>();
        int lost = 0;
        for (int run = 0; run < 5; run++) {
            try (AuditLog log = open(FailurePolicy.REFUSE_CHANGES, AuditLogTest.SMALL_FILE)) {
                for (int step = 0; step < 30; step++) {
                    disk.room(random.nextInt(3) == 0 ? random.nextInt(4_000) : Long.MAX_VALUE);
                    disk.fail(random.nextInt(10) == 0, random.nextInt(5) == 0, false);
                    List<String> names = new ArrayList<>();
                    List<CompletableFuture<Done>> written = new ArrayList<>();
                    for (int i = random.nextInt(12); i >= 0; i--) {
                        String name = run + "." + step + "." + i;
                        names.add(name);
                        written.add(log.append(event("ann", name)));
                    }
                    for (int i = 0; i < names.size(); i++) {
                        if (written.get(i)
                                .handle((done, error) -> error == null)
                                .join()) {
                            acknowledged.add(names.get(i));
                        } else {
                            lost++;
                        }
                    }
                }
                disk.room(Long.MAX_VALUE);
                disk.fail(false, false, false);
            }
            assertThat(AuditVerifier.verify(directory).fault()).isEmpty();
        }
        assertThat(lost).isPositive();
        assertThat(objects().stream().filter(name -> !name.isEmpty())).containsExactlyElementsOf(acknowledged);
        assertThat(records(directory).stream()
                        .filter(line -> line.event().action().equals("EventsLost"))
                        .mapToInt(line -> Integer.parseInt(line.event().reason().replace("lost events: ", "")))
                        .sum())
                .isEqualTo(lost);
    }

    @Test
    void aHangingDiskBlocksNoCallerAndTheQueueIsBounded() {
        CountDownLatch latch = new CountDownLatch(1);
        List<CompletableFuture<Done>> written = new ArrayList<>();
        try (AuditLog log = open(FailurePolicy.REFUSE_CHANGES)) {
            log.write(event("ann", "first"));
            int before = disk.syncs();
            disk.hang(latch);
            written.add(log.append(event("ann", "t")));
            Awaitility.await().until(() -> disk.syncs() > before);
            for (int i = 0; i < Limits.AUDIT_QUEUE_EVENTS_MAX; i++) {
                written.add(log.append(event("ann", "t")));
            }
            assertThat(written).noneMatch(CompletableFuture::isDone);
            assertThatThrownBy(() -> log.write(event("ann", "refused")))
                    .hasMessageContaining("RESOURCE_EXHAUSTED")
                    .hasMessageContaining("4096 events");
            latch.countDown();
        }
        assertThat(written).allMatch(done -> done.isDone() && !done.isCompletedExceptionally());
        assertThat(actions().stream().filter("EventsLost"::equals)).hasSize(1);
        assertThat(objects().stream().filter("t"::equals)).hasSize(written.size());
        // events that wait at the same time share a sync
        assertThat(disk.syncs()).isLessThan(20);
    }

    @Test
    void eightThreads() throws InterruptedException {
        int each = 1_000;
        List<Thread> threads = new ArrayList<>();
        List<CompletableFuture<Done>> written = new ArrayList<>();
        try (AuditLog log = open(FailurePolicy.REFUSE_CHANGES, 1 << 18)) {
            for (int t = 0; t < 8; t++) {
                String principal = "p" + t;
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < each; i++) {
                        CompletableFuture<Done> done = log.append(event(principal, "t" + i));
                        synchronized (written) {
                            written.add(done);
                        }
                        if (i % 100 == 0) {
                            done.join();
                        }
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertThat(written).hasSize(8 * each).allMatch(done -> done.isDone() && !done.isCompletedExceptionally());
        AuditReport report = AuditVerifier.verify(directory);
        assertThat(report.fault()).isEmpty();
        assertThat(report.lines()).isEqualTo(8L * each);
        for (int t = 0; t < 8; t++) {
            String principal = "p" + t;
            assertThat(records(directory).stream()
                            .filter(line -> line.event().principal().equals(principal))
                            .map(line -> line.event().object()))
                    .containsExactlyElementsOf(
                            IntStream.range(0, each).mapToObj(i -> "t" + i).toList());
        }
        List<AuditRecord> all = records(directory);
        for (int i = 1; i < all.size(); i++) {
            assertThat(all.get(i).time()).isAfterOrEqualTo(all.get(i - 1).time());
        }
    }
}
