package io.uniserve.protocol.backup.batch;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
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
import java.util.TreeMap;
import java.util.function.Consumer;

/** Durable storage with servers that put runs of logs of one cluster into batches. */
final class BatchWorld {
    static final long SECOND = 1_000_000_000L;
    static final String CLUSTER = "test";

    final TestingLoop loop = new TestingLoop();
    final TestingObjects objects = new TestingObjects(loop);
    final TestingStore registry = new TestingStore();
    /** States of actors in the view of all servers; others are LIVE. */
    final TreeMap<ReplicaKey, LogRunNeeds.Actor> actors = new TreeMap<>();

    final TreeMap<ReplicaKey, Long> shipped = new TreeMap<>();
    private long ids = 1;

    static ReplicaKey actor(int number) {
        return new ReplicaKey(7, number);
    }

    Environment env() {
        TestingDisk disk = new TestingDisk(loop);
        return new Environment(
                loop,
                loop,
                new TestingNetwork(loop),
                new TestingRegistry(loop, registry),
                disk,
                objects,
                new TestingEngine(loop, disk),
                () -> ids++);
    }

    LogBatchStore store() {
        return new LogBatchStore(env(), CLUSTER, SECOND);
    }

    LogBatchSweeper sweeper(LogBatchStore store) {
        Environment env = env();
        LogRunNeeds needs = new LogRunNeeds(
                env.with(env.registry(), store),
                CLUSTER,
                key -> actors.getOrDefault(key, new LogRunNeeds.Actor(LogRunNeeds.State.LIVE, new TableName("t"))));
        LogBatchSweeper sweeper = new LogBatchSweeper(env, store, needs, CLUSTER, SECOND);
        sweeper.start();
        return sweeper;
    }

    static LogEntry entry(long epoch, long index, int bytes) {
        return LogEntry.prepare(epoch, index, index, index - 1, 1, Bytes.wrap(new byte[bytes]));
    }

    static Bytes run(long epoch, long first, int entries, int bytes) {
        List<LogEntry> run = new ArrayList<>();
        for (int i = 0; i < entries; i++) {
            run.add(entry(epoch, first + i, bytes));
        }
        return ReplicaLog.encode(run);
    }

    /** Ships the next entries of the actor's log, soon. Returns the key. */
    String ship(ObjectStore store, ReplicaKey key, long epoch, int entries) {
        long first = shipped.getOrDefault(key, 0L) + 1;
        shipped.put(key, first + entries - 1);
        String name = BackupPaths.log(CLUSTER, key, first, first + entries - 1, epoch);
        store.putSoon(name, run(epoch, first, entries, 10), done -> {
            if (done instanceof Outcome.Err) {
                throw new AssertionError(done.error());
            }
        });
        return name;
    }

    <T> Outcome<T> await(Consumer<Completion<T>> call) {
        List<Outcome<T>> outcomes = new ArrayList<>();
        call.accept(outcomes::add);
        if (!loop.runUntil(() -> !outcomes.isEmpty(), 100 * SECOND)) {
            throw new AssertionError("no answer");
        }
        return outcomes.get(0);
    }

    List<String> list(ObjectStore store, String prefix) {
        return this.<List<String>>await(done -> store.list(prefix, done)).value();
    }

    Outcome<Bytes> get(ObjectStore store, String key) {
        return await(done -> store.get(key, done));
    }

    /** The log of an actor as a restoration reads it: all entries are checked. Returns the last index. */
    long readLog(ObjectStore store, ReplicaKey key) {
        String prefix = BackupPaths.logPrefix(CLUSTER, key);
        long last = 0;
        for (BackupPaths.Run run : BackupPaths.chain(list(store, prefix), prefix, 0, 0)) {
            List<LogEntry> entries = ReplicaLog.decode(get(store, run.key()).value(), run.first())
                    .value();
            if (run.first() > last + 1 || entries.size() != run.stored() - run.first() + 1) {
                throw new AssertionError("gap before " + run);
            }
            last = run.last();
        }
        return last;
    }

    List<String> batches() {
        return objects.keys(LogBatchKey.prefix(CLUSTER));
    }

    /** Objects with runs of the actor alone. */
    List<String> own(ReplicaKey key) {
        return objects.keys(BackupPaths.logPrefix(CLUSTER, key));
    }
}
