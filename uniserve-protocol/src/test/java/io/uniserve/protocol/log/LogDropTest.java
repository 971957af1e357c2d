package io.uniserve.protocol.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.testing.TestingDisk;
import io.uniserve.protocol.testing.TestingLoop;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Truncation of the front of a log by whole segments, and the log after a restart. */
class LogDropTest {
    private static final long SECOND = 1_000_000_000L;
    private static final LogOptions SMALL = new LogOptions(500, 300, 1 << 20, 0);
    private static final LogListener DEAF = new LogListener() {
        @Override
        public void onDurable(long index) {
            // tests read durableIndex instead
        }

        @Override
        public void onAppendFailed(long from, UniserveException error) {
            throw error;
        }

        @Override
        public void onDamaged(UniserveException error) {
            throw error;
        }

        @Override
        public void onFatal(UniserveException error) {
            throw error;
        }
    };

    private final TestingLoop loop = new TestingLoop();
    private final TestingDisk disk = new TestingDisk(loop);
    private ReplicaLog log;

    @BeforeEach
    void fortyEntriesInSegments() {
        log = open(0, 0, 0, SMALL);
        for (int i = 1; i <= 40; i++) {
            log.append(entry(i <= 20 ? 1 : 2, i));
            loop.run(SECOND / 100);
        }
        assertThat(files()).hasSizeGreaterThan(4);
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

    private Outcome<ReplicaLog> tryOpen(long base, long baseEpoch, long synced, LogOptions options) {
        List<Outcome<ReplicaLog>> opened = new ArrayList<>();
        ReplicaLog.open(disk, "r", base, baseEpoch, 0, synced, options, DEAF, opened::add);
        loop.run(SECOND);
        return opened.get(0);
    }

    private ReplicaLog open(long base, long baseEpoch, long synced, LogOptions options) {
        if (tryOpen(base, baseEpoch, synced, options) instanceof Outcome.Ok<ReplicaLog> ok) {
            return ok.value();
        }
        throw new AssertionError("not opened");
    }

    private static ErrorCode code(Outcome<?> outcome) {
        return outcome instanceof Outcome.Err<?> err ? err.error().code() : ErrorCode.INTERNAL;
    }

    private List<String> files() {
        return disk.files("r/log/").stream().sorted().toList();
    }

    private Outcome<Done> drop(long through) {
        List<Outcome<Done>> done = new ArrayList<>();
        log.dropThrough(through, done::add);
        loop.run(SECOND);
        return done.get(0);
    }

    private List<LogEntry> load(long from) {
        List<Outcome<List<LogEntry>>> read = new ArrayList<>();
        log.load(from, 1_000, 1 << 20, read::add);
        loop.run(SECOND);
        if (read.get(0) instanceof Outcome.Ok<List<LogEntry>> ok) {
            return ok.value();
        }
        throw ((Outcome.Err<List<LogEntry>>) read.get(0)).error();
    }

    @Test
    void wholeSegmentsUpToTheLimitCanGoAndNeverTheLast() {
        long through = log.droppableIndex(25);
        assertThat(through).isBetween(1L, 25L);
        assertThat(disk.files("r/log/")).contains("r/log/%020d.seg".formatted(through + 1));
        assertThat(log.droppableIndex(0)).isZero();
        assertThat(log.droppableIndex(1)).isZero();
        assertThat(log.droppableIndex(40)).isLessThan(40);
    }

    @Test
    void aTailStaysThatHasTheBytesToRetain() {
        ReplicaLog patient = open(0, 0, 0, new LogOptions(500, 300, 1 << 20, 1_500));
        long through = patient.droppableIndex(40);
        assertThat(through).isLessThan(log.droppableIndex(40)).isPositive();
        ReplicaLog keeper = open(0, 0, 0, new LogOptions(500, 300, 1 << 20, log.bytes()));
        assertThat(keeper.droppableIndex(40)).isZero();
    }

    @Test
    void whatWasDroppedIsGoneAndTheRestReads() {
        long before = log.bytes();
        long through = log.droppableIndex(25);
        assertThat(drop(through)).isInstanceOf(Outcome.Ok.class);
        assertThat(log.baseIndex()).isEqualTo(through);
        assertThat(log.epochAt(through)).isEqualTo(through <= 20 ? 1 : 2);
        assertThat(log.epochAt(through - 1)).isEqualTo(-1);
        assertThat(log.bytes()).isLessThan(before);
        assertThat(files()).first().isEqualTo("r/log/%020d.seg".formatted(through + 1));
        assertThat(load(through + 1)).first().isEqualTo(entry(log.epochAt(through + 1), through + 1));
        assertThat(log.cached(through, 10, 1 << 20)).isNull();
        List<Outcome<List<LogEntry>>> read = new ArrayList<>();
        log.load(through, 10, 1 << 20, read::add);
        loop.run(SECOND);
        assertThat(code(read.get(0))).isEqualTo(ErrorCode.UNAVAILABLE);
        for (int i = 41; i <= 60; i++) {
            log.append(entry(2, i));
            loop.run(SECOND / 100);
        }
        assertThat(load(41)).first().isEqualTo(entry(2, 41));
        long further = log.droppableIndex(50);
        assertThat(further).isGreaterThan(through);
        assertThat(drop(further)).isInstanceOf(Outcome.Ok.class);
        assertThat(load(further + 1)).first().isEqualTo(entry(2, further + 1));
    }

    @Test
    void theTailCanBeCutAfterwards() {
        long through = log.droppableIndex(25);
        drop(through);
        List<Outcome<Long>> cut = new ArrayList<>();
        log.truncateAfter(30, cut::add);
        loop.run(SECOND);
        assertThat(cut.get(0)).isEqualTo(Outcome.ok(10L));
        log.append(entry(3, 31));
        loop.run(SECOND);
        assertThat(load(31)).containsExactly(entry(3, 31));
        log = open(through, log.epochAt(through), through, SMALL);
        assertThat(log.lastIndex()).isEqualTo(31);
        assertThat(log.epochAt(31)).isEqualTo(3);
    }

    @Test
    void aStartBeginsAfterTheBaseAndDeletesWhatACrashLeft() {
        long through = log.droppableIndex(25);
        long epoch = log.epochAt(through);
        int segments = files().size();
        ReplicaLog again = open(through, epoch, 40, SMALL); // the state file was written, but no file was deleted
        assertThat(files()).hasSizeLessThan(segments).first().isEqualTo("r/log/%020d.seg".formatted(through + 1));
        assertThat(again.baseIndex()).isEqualTo(through);
        assertThat(again.lastIndex()).isEqualTo(40);
        assertThat(again.epochAt(through)).isEqualTo(epoch);
    }

    @Test
    void aHoleBehindTheBaseIsDamage() {
        long through = log.droppableIndex(25);
        List<String> names = files();
        String firstKept = "r/log/%020d.seg".formatted(through + 1);
        loopDelete(firstKept);
        assertThat(code(tryOpen(through, log.epochAt(through), 40, SMALL))).isEqualTo(ErrorCode.CORRUPT);
        assertThat(files())
                .as("the rest stays for a look")
                .hasSizeGreaterThan(1)
                .isSubsetOf(names);
    }

    @Test
    void aLogThatEndsBeforeItsBaseIsDamage() {
        files().forEach(this::loopDelete);
        assertThat(code(tryOpen(20, 1, 40, SMALL))).isEqualTo(ErrorCode.CORRUPT);
        assertThat(open(20, 1, 20, SMALL).lastIndex()).as("nothing was lost").isEqualTo(20);
    }

    @Test
    void aBaseOfALaterEpochThanTheEntriesBehindItIsDamage() {
        long through = log.droppableIndex(15);
        assertThat(code(tryOpen(through, 9, 40, SMALL))).isEqualTo(ErrorCode.CORRUPT);
    }

    @Test
    void aFileThatCannotBeDeletedIsTriedAgain() {
        long through = log.droppableIndex(15);
        String first = files().get(0);
        disk.failDeletes(true);
        assertThat(code(drop(through))).isEqualTo(ErrorCode.IO);
        assertThat(log.baseIndex()).as("it has no reader left").isEqualTo(through);
        assertThat(files()).contains(first);
        disk.failDeletes(false);
        drop(log.droppableIndex(35));
        assertThat(files()).doesNotContain(first);
    }

    private void loopDelete(String path) {
        disk.delete(path, done -> assertThat(done).isInstanceOf(Outcome.Ok.class));
        loop.run(SECOND);
    }
}
