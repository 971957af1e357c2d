package io.uniserve.protocol.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.testing.TestingDisk;
import io.uniserve.protocol.testing.TestingLoop;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicaLogTest {
    private static final long SECOND = 1_000_000_000L;
    private static final String FIRST = "r/log/00000000000000000001.seg";

    private final TestingLoop loop = new TestingLoop();
    private final TestingDisk disk = new TestingDisk(loop);
    private final List<String> events = new ArrayList<>();
    private final LogListener listener = new LogListener() {
        @Override
        public void onDurable(long index) {
            events.add("durable " + index);
        }

        @Override
        public void onAppendFailed(long from, UniserveException error) {
            events.add("failed " + from + " " + error.code());
        }

        @Override
        public void onDamaged(UniserveException error) {
            events.add("damaged");
        }

        @Override
        public void onFatal(UniserveException error) {
            events.add("fatal");
        }
    };

    private Outcome<ReplicaLog> tryOpen(LogOptions options) {
        return tryOpen(options, 0);
    }

    private Outcome<ReplicaLog> tryOpen(LogOptions options, long synced) {
        List<Outcome<ReplicaLog>> opened = new ArrayList<>();
        ReplicaLog.open(disk, "r", 0, 0, 0, synced, options, listener, opened::add);
        loop.run(SECOND);
        return opened.get(0);
    }

    private ReplicaLog open() {
        return open(LogOptions.defaults());
    }

    private ReplicaLog open(LogOptions options) {
        if (tryOpen(options) instanceof Outcome.Ok<ReplicaLog> ok) {
            return ok.value();
        }
        throw new AssertionError("not opened");
    }

    private static LogEntry entry(long epoch, long index) {
        return new LogEntry(
                LogEntry.Type.UPDATE,
                epoch,
                index,
                0,
                new RequestId(1, 2, index),
                1,
                "put@1",
                Bytes.utf8("row " + index));
    }

    private void fill(ReplicaLog log, int count) {
        for (int i = 0; i < count; i++) {
            log.append(entry(1, log.lastIndex() + 1));
            loop.run(SECOND / 100);
        }
    }

    private static List<LogEntry> all(TestingLoop loop, ReplicaLog log) {
        List<LogEntry> entries = new ArrayList<>();
        while (entries.size() < log.durableIndex()) {
            List<Outcome<List<LogEntry>>> read = new ArrayList<>();
            log.load(entries.size() + 1, 100, 1 << 20, read::add);
            loop.run(SECOND / 100);
            if (read.get(0) instanceof Outcome.Ok<List<LogEntry>> ok) {
                entries.addAll(ok.value());
            }
        }
        return entries;
    }

    @Test
    void aDecisionGoesWithTheNextEntryOrWhenItIsTime() {
        ReplicaLog log = open();
        log.append(LogEntry.prepare(1, 1, 1, 0, 1, Bytes.EMPTY));
        loop.run(SECOND / 100);
        log.append(LogEntry.decide(1, 2, 1, true));
        loop.run(SECOND);
        assertThat(log.durableIndex()).isEqualTo(1);
        events.clear();
        log.append(LogEntry.prepare(1, 3, 2, 1, 1, Bytes.EMPTY));
        loop.run(SECOND / 100);
        assertThat(events).as("one sync").containsExactly("durable 3");
        log.append(LogEntry.decide(1, 4, 2, true));
        log.flush();
        loop.run(SECOND / 100);
        assertThat(log.durableIndex()).isEqualTo(4);
        assertThat(open().lastIndex()).isEqualTo(4);
    }

    @Test
    void entriesComeBack() {
        ReplicaLog log = open();
        fill(log, 20);
        ReplicaLog again = open();
        assertThat(again.lastIndex()).isEqualTo(20);
        assertThat(again.durableIndex()).isEqualTo(20);
        assertThat(again.cached(1, 100, 1 << 20)).hasSize(20).first().isEqualTo(entry(1, 1));
        assertThat(all(loop, again)).last().isEqualTo(entry(1, 20));
        assertThat(again.bytes()).isEqualTo(disk.bytes(FIRST).length);
    }

    @Test
    void commitsInGroups() {
        ReplicaLog log = open();
        for (int i = 1; i <= 100; i++) {
            log.append(entry(1, i));
        }
        loop.run(SECOND);
        assertThat(events).containsExactly("durable 1", "durable 100");
        assertThat(disk.syncs()).isEqualTo(2);
    }

    @Test
    void rollsSegmentsAndReadsOldOnesFromDisk() {
        LogOptions small = new LogOptions(500, 300, 1 << 20);
        ReplicaLog log = open(small);
        fill(log, 50);
        assertThat(disk.files("r/log/")).hasSizeGreaterThan(5);
        assertThat(log.cached(1, 10, 1 << 20)).isNull();
        assertThat(all(loop, log)).hasSize(50);
        assertThat(all(loop, open(small))).hasSize(50).last().isEqualTo(entry(1, 50));
    }

    @Test
    void keepsItsShareOfTheServersMemory() {
        ReplicaLog log = open(new LogOptions(500, 1 << 20, 1 << 20, 0, 1_200));
        fill(log, 50);
        assertThat(log.cached(1, 1, 1 << 20)).as("before the share is known").isNotNull();
        log.limitCache(4);
        assertThat(log.cached(40, 1, 1 << 20)).isNull();
        assertThat(log.cached(50, 1, 1 << 20)).isNotNull();
        assertThat(all(loop, log)).hasSize(50);
        log.append(entry(1, 51));
        log.limitCache(1_000);
        assertThat(log.cached(50, 1, 1 << 20)).isNull();
        loop.run(SECOND);
        assertThat(all(loop, log)).as("an entry that was not durable").hasSize(51);
    }

    @Test
    void cutsTornTail() {
        ReplicaLog log = open();
        fill(log, 3);
        int whole = disk.bytes(FIRST).length;
        log.append(entry(1, 4));
        log.append(entry(1, 5));
        loop.run(60_000);
        disk.crash(20);
        assertThat(disk.bytes(FIRST)).hasSize(whole + 20);
        ReplicaLog again = open();
        assertThat(again.lastIndex()).isEqualTo(3);
        assertThat(disk.bytes(FIRST)).hasSize(whole);
        fill(again, 2);
        assertThat(open().lastIndex()).isEqualTo(5);
    }

    @Test
    void everyCutOfTheLastWriteIsATornTail() {
        ReplicaLog log = open();
        fill(log, 2);
        int whole = disk.bytes(FIRST).length;
        fill(log, 1);
        byte[] full = disk.bytes(FIRST).clone();
        for (int size = whole; size < full.length; size++) {
            disk.put(FIRST, java.util.Arrays.copyOf(full, size));
            assertThat(open().lastIndex()).as("cut at " + size).isEqualTo(2);
        }
    }

    @Test
    void everyFlippedBitOfTheLastWriteIsDamage() {
        ReplicaLog log = open();
        fill(log, 1);
        int before = disk.bytes(FIRST).length;
        log.append(entry(1, 2));
        loop.run(SECOND / 10);
        byte[] full = disk.bytes(FIRST).clone();
        for (int bit = before * 8; bit < full.length * 8; bit++) {
            byte[] flipped = full.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            disk.put(FIRST, flipped);
            assertThat(tryOpen(LogOptions.defaults())).as("bit " + bit).isInstanceOf(Outcome.Err.class);
            assertThat(disk.bytes(FIRST)).hasSize(full.length);
        }
    }

    @Test
    void aTailThatWasSyncedIsNeverCut() {
        ReplicaLog log = open();
        fill(log, 3);
        byte[] full = disk.bytes(FIRST).clone();
        byte[] zeroed = full.clone();
        java.util.Arrays.fill(zeroed, full.length - 40, full.length, (byte) 0);
        disk.put(FIRST, zeroed);
        assertThat(tryOpen(LogOptions.defaults(), 3)).isInstanceOf(Outcome.Err.class);
        assertThat(disk.bytes(FIRST)).isEqualTo(zeroed);
        disk.put(FIRST, java.util.Arrays.copyOf(full, full.length / 3 * 2));
        assertThat(tryOpen(LogOptions.defaults(), 3)).isInstanceOf(Outcome.Err.class);
        disk.put(FIRST, zeroed);
        assertThat(tryOpen(LogOptions.defaults(), 2)).isInstanceOf(Outcome.Ok.class);
    }

    @Test
    void aLogWhoseLastFileIsGoneIsDamage() {
        fill(open(), 3);
        disk.delete(FIRST, done -> {});
        loop.run(SECOND);
        assertThat(tryOpen(LogOptions.defaults(), 3)).isInstanceOf(Outcome.Err.class);
    }

    @Test
    void damageFoundWhileReadingIsTold() {
        LogOptions small = new LogOptions(500, 300, 1 << 20);
        ReplicaLog log = open(small);
        fill(log, 50);
        disk.flip(FIRST, 60);
        List<Outcome<List<LogEntry>>> read = new ArrayList<>();
        log.load(1, 10, 1 << 20, read::add);
        loop.run(SECOND);
        assertThat(read.get(0)).isInstanceOf(Outcome.Err.class);
        assertThat(events).endsWith("damaged");
    }

    @Test
    void everyFlippedBitBeforeTheLastWriteIsDamage() {
        ReplicaLog log = open();
        fill(log, 2);
        int before = disk.bytes(FIRST).length;
        fill(log, 2);
        byte[] full = disk.bytes(FIRST).clone();
        for (int at = 0; at < before; at++) {
            disk.put(FIRST, full.clone());
            disk.flip(FIRST, at);
            Outcome<ReplicaLog> opened = tryOpen(LogOptions.defaults());
            assertThat(opened)
                    .as("flip at " + at)
                    .isInstanceOfSatisfying(
                            Outcome.Err.class,
                            err -> assertThat(err.error().code()).isEqualTo(ErrorCode.CORRUPT));
            assertThat(disk.bytes(FIRST)).hasSize(full.length);
        }
    }

    @Test
    void missingSegmentIsDamage() {
        LogOptions small = new LogOptions(500, 300, 1 << 20);
        fill(open(small), 50);
        List<String> segments = disk.files("r/log/");
        disk.delete(segments.get(2), done -> {});
        loop.run(SECOND);
        assertThat(tryOpen(small)).isInstanceOf(Outcome.Err.class);
    }

    @Test
    void cutIsSavedAndCounted() {
        LogOptions small = new LogOptions(500, 300, 1 << 20);
        ReplicaLog log = open(small);
        fill(log, 30);
        List<Outcome<Long>> cut = new ArrayList<>();
        log.truncateAfter(7, cut::add);
        loop.run(SECOND);
        assertThat(cut).containsExactly(Outcome.ok(23L));
        assertThat(log.lastIndex()).isEqualTo(7);
        assertThat(disk.files("r/rollback/")).hasSize(1);
        assertThat(ReplicaLog.decode(
                        Bytes.wrap(disk.bytes(disk.files("r/rollback/").get(0))), 8))
                .isInstanceOfSatisfying(
                        Outcome.Ok.class, ok -> assertThat((List<?>) ok.value()).hasSize(23));
        log.append(entry(2, 8));
        loop.run(SECOND);
        ReplicaLog again = open(small);
        assertThat(again.lastIndex()).isEqualTo(8);
        assertThat(again.lastEpoch()).isEqualTo(2);
        assertThat(again.epochAt(7)).isEqualTo(1);
    }

    @Test
    void failedAppendLeavesTheLogUsable() {
        ReplicaLog log = open();
        fill(log, 3);
        int whole = disk.bytes(FIRST).length;
        disk.full(true);
        log.append(entry(1, 4));
        log.append(entry(1, 5));
        loop.run(SECOND);
        assertThat(events).endsWith("failed 4 DISK_FULL");
        assertThat(log.lastIndex()).isEqualTo(3);
        assertThat(disk.bytes(FIRST)).hasSize(whole);
        disk.full(false);
        fill(log, 1);
        assertThat(open().lastIndex()).isEqualTo(4);
    }

    @Test
    void failedFirstAppendLeavesNoFile() {
        ReplicaLog log = open();
        disk.full(true);
        log.append(entry(1, 1));
        loop.run(SECOND);
        assertThat(disk.files("r/")).isEmpty();
        disk.full(false);
        fill(log, 1);
        assertThat(open().lastIndex()).isEqualTo(1);
    }

    @Test
    void failedSyncIsFatal() {
        ReplicaLog log = open();
        disk.failSyncs();
        fill(log, 2);
        assertThat(events).containsExactly("fatal");
    }

    @Test
    void knowsItsLimit() {
        ReplicaLog log = open(new LogOptions(1 << 20, 1 << 20, 1_000));
        assertThat(log.hasRoom(900)).isTrue();
        fill(log, 5);
        assertThat(log.hasRoom(900)).isFalse();
    }

    @Test
    void anEntryThatChangesInMemoryIsNotWritten() {
        ReplicaLog log = open();
        byte[] rows = {1, 2, 3};
        log.append(LogEntry.epoch(1, 1));
        log.append(new LogEntry(LogEntry.Type.UPDATE, 1, 2, 0, new RequestId(1, 1, 1), 0, "put@1", Bytes.wrap(rows)));
        rows[1] ^= 4;
        loop.run(SECOND);
        assertThat(events).contains("durable 1", "failed 2 IO").doesNotContain("durable 2");
        assertThat(log.lastIndex()).isEqualTo(1);
    }

    @Test
    void theRunningHashIsTheSameAfterARestart() {
        ReplicaLog log = open();
        log.append(LogEntry.epoch(1, 1));
        for (int i = 2; i < 6; i++) {
            log.append(new LogEntry(
                    LogEntry.Type.UPDATE, 1, i, 0, new RequestId(1, 1, i), 0, "put@1", Bytes.utf8("row " + i)));
        }
        loop.run(SECOND);
        long hash = log.hashAt(5);
        assertThat(hash).isNotEqualTo(RunningLogHash.UNKNOWN).isNotEqualTo(log.hashAt(4));
        assertThat(open().hashAt(5)).isEqualTo(hash);
    }

    @Test
    void everyFieldIsInTheHash() {
        LogEntry entry =
                new LogEntry(LogEntry.Type.UPDATE, 3, 7, 2, new RequestId(1, 2, 3), 4, "put@1", Bytes.utf8("row"));
        assertThat(List.of(
                                entry,
                                new LogEntry(LogEntry.Type.REFUSED, 3, 7, 2, entry.request(), 4, "put@1", entry.rows()),
                                new LogEntry(entry.type(), 4, 7, 2, entry.request(), 4, "put@1", entry.rows()),
                                new LogEntry(entry.type(), 3, 8, 2, entry.request(), 4, "put@1", entry.rows()),
                                new LogEntry(entry.type(), 3, 7, 3, entry.request(), 4, "put@1", entry.rows()),
                                new LogEntry(entry.type(), 3, 7, 2, null, 4, "put@1", entry.rows()),
                                new LogEntry(entry.type(), 3, 7, 2, new RequestId(1, 2, 4), 4, "put@1", entry.rows()),
                                new LogEntry(entry.type(), 3, 7, 2, entry.request(), 5, "put@1", entry.rows()),
                                new LogEntry(entry.type(), 3, 7, 2, entry.request(), 4, "put@2", entry.rows()),
                                new LogEntry(entry.type(), 3, 7, 2, entry.request(), 4, "put@", Bytes.utf8("1row")),
                                new LogEntry(entry.type(), 3, 7, 2, entry.request(), 4, "put@1", Bytes.utf8("rpw")))
                        .stream()
                        .map(RunningLogHash::contentHash)
                        .distinct())
                .hasSize(11);
    }

    @Test
    void anAnchorMakesAnUnknownHashKnownAgain() {
        LogEntry plain = LogEntry.epoch(2, 9);
        assertThat(RunningLogHash.after(RunningLogHash.UNKNOWN, plain, RunningLogHash.contentHash(plain)))
                .isEqualTo(RunningLogHash.UNKNOWN);
        LogEntry anchored = LogEntry.epoch(2, 9, RunningLogHash.anchor(2, 9));
        assertThat(RunningLogHash.after(RunningLogHash.UNKNOWN, anchored, RunningLogHash.contentHash(anchored)))
                .isNotEqualTo(RunningLogHash.UNKNOWN)
                .isEqualTo(RunningLogHash.after(17, anchored, RunningLogHash.contentHash(anchored)));
    }
}
