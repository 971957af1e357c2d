package io.uniserve.protocol.backup.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.archive.QuietLogListener;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.LogListener;
import io.uniserve.protocol.log.LogOptions;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.testing.TestingDisk;
import io.uniserve.protocol.testing.TestingEngine;
import io.uniserve.protocol.testing.TestingLoop;
import io.uniserve.protocol.testing.TestingNetwork;
import io.uniserve.protocol.testing.TestingObjects;
import io.uniserve.protocol.testing.TestingRegistry;
import io.uniserve.protocol.testing.TestingStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The log has entries 1 to 3 of epoch 1 and 4 to 6 of epoch 3. */
class BackedUpIndexFinderTest {
    private static final long SECOND = 1_000_000_000L;
    private static final ReplicaKey KEY = new ReplicaKey(1, 0);

    private final TestingLoop loop = new TestingLoop();
    private final TestingDisk disk = new TestingDisk(loop);
    private final TestingObjects objects = new TestingObjects(loop);
    private final List<ReplicaLog> opened = new ArrayList<>();

    private final LogListener quiet = new QuietLogListener();

    @BeforeEach
    void open() {
        ReplicaLog.open(disk, KEY.toString(), 0, 0, 0, 0, LogOptions.defaults(), quiet, outcome -> {
            if (outcome instanceof Outcome.Ok<ReplicaLog> ok) {
                opened.add(ok.value());
            }
        });
        loop.run(SECOND);
        for (long index = 1; index <= 6; index++) {
            opened.get(0).append(entry(index <= 3 ? 1 : 3, index));
        }
        loop.run(SECOND);
    }

    private static LogEntry entry(long epoch, long index) {
        return LogEntry.prepare(epoch, index, index, index - 1, 1, Bytes.EMPTY);
    }

    /** Stores entries of these epochs in durable storage, as a primary. */
    private String ship(long primary, long first, long... epochs) {
        List<LogEntry> run = new ArrayList<>();
        for (long epoch : epochs) {
            run.add(entry(epoch, first + run.size()));
        }
        String key = BackupPaths.log("test", KEY, first, first + run.size() - 1, primary);
        objects.put(key, ReplicaLog.encode(run), done -> {});
        loop.run(SECOND);
        return key;
    }

    private Outcome<Long> find(long shipped) {
        Environment env = new Environment(
                loop,
                loop,
                new TestingNetwork(loop),
                new TestingRegistry(loop, new TestingStore()),
                disk,
                objects,
                new TestingEngine(loop, disk),
                () -> 1);
        List<Outcome<Long>> found = new ArrayList<>();
        BackedUpIndexFinder.find(env, "test", KEY, opened.get(0), shipped, found::add);
        loop.run(SECOND);
        return found.get(0);
    }

    @Test
    void whatIsOfThisLogCounts() {
        ship(1, 1, 1, 1);
        ship(3, 3, 1, 3);
        ship(4, 5, 3);
        assertThat(find(0)).isEqualTo(Outcome.ok(5L));
        assertThat(find(2)).isEqualTo(Outcome.ok(5L));
        assertThat(find(5)).isEqualTo(Outcome.ok(5L));
    }

    @Test
    void whatADeposedPrimaryShippedOfAnotherHistoryDoesNot() {
        ship(1, 1, 1, 1, 1);
        ship(2, 4, 2, 2);
        assertThat(find(0)).isEqualTo(Outcome.ok(3L));
        assertThat(find(3)).isEqualTo(Outcome.ok(3L));
    }

    @Test
    void whatThisLogDoesNotHaveDoesNot() {
        ship(1, 1, 1, 1, 1);
        ship(3, 4, 3, 3, 3, 3);
        assertThat(find(0)).isEqualTo(Outcome.ok(3L));
    }

    @Test
    void whatCannotBeReadIsShippedAgain() {
        ship(1, 1, 1, 1);
        objects.flip(ship(1, 3, 1));
        ship(3, 4, 3, 3);
        assertThat(find(0)).isEqualTo(Outcome.ok(2L));
    }

    @Test
    void withoutAListNothingIsKnown() {
        objects.down(true);
        assertThat(find(0)).isInstanceOf(Outcome.Err.class);
    }
}
