package io.uniserve.protocol.backup.batch;

import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.batch.LogBatchKey.Entry;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.IdGenerator;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Durable storage that keeps small runs of the log of many actors in one object, a batch. To its users each run is an object of its own: it is
 * listed and read by its key. {@link LogBatchSweeper} replaces the batches by longer runs after some minutes, and deletes them. The deletion of
 * a run in a batch does nothing before.
 *
 * <p>Runs of durability REMOTE wait for no other run, except for batches that are being written. The others wait for the next batch, at most for
 * the period of log shipping. Not thread-safe.
 */
public final class LogBatchStore implements ObjectStore {
    /** Larger runs are objects of their own. */
    static final int RUN_BYTES_MAX = 256 << 10;

    static final int BATCH_BYTES_MAX = 4 << 20;

    /** Writes under way: one that the store delays must not delay all actors. */
    private static final int WRITES_MAX = 4;

    /** A batch that is younger may be missing in a listing. */
    private static final long LISTED_MILLIS = 60_000;

    private final ObjectStore objects;
    private final Clock clock;
    private final Timers timers;
    private final IdGenerator ids;
    private final String cluster;
    private final long periodNanos;
    private final ArrayDeque<PendingRun> pending = new ArrayDeque<>();
    /** Batches that this server has written or listed. */
    private final TreeMap<String, LogBatchKey> batches = new TreeMap<>();
    /** Times of the batches that this server has written. */
    private final TreeMap<String, Long> written = new TreeMap<>();
    /** Places of the listed runs that are no objects of their own. */
    private final TreeMap<String, Location> locations = new TreeMap<>();

    private long pendingBytes;
    private long lastWriteNanos;
    private int writing;
    private boolean scheduled;
    private boolean urgent;

    private record PendingRun(String key, Entry entry, Bytes data, Completion<Done> completion) {}

    /** Place of a run in a batch. */
    private record Location(LogBatchKey batch, int offset, int length) {}

    /** @param periodNanos longest time that a run waits for others */
    public LogBatchStore(Environment env, String cluster, long periodNanos) {
        this.objects = env.objects();
        this.clock = env.clock();
        this.timers = env.timers();
        this.ids = env.ids();
        this.cluster = cluster;
        this.periodNanos = periodNanos;
        this.lastWriteNanos = clock.nanos() - periodNanos;
    }

    /** The runs in an object, by their keys; empty if the object is no batch of the cluster. */
    public static NavigableMap<String, Bytes> runs(String cluster, String key, Bytes data) {
        NavigableMap<String, Bytes> runs = new TreeMap<>();
        batch(cluster, key)
                .ifPresent(batch -> batch.slices(data)
                        .forEach(slice -> runs.put(slice.entry().runKey(cluster), slice.data())));
        return runs;
    }

    private static Optional<LogBatchKey> batch(String cluster, String key) {
        return LogBatchKey.parse(key).filter(batch -> batch.cluster().equals(cluster));
    }

    @Override
    public boolean isPricedPerRequest() {
        return true;
    }

    @Override
    public void put(String key, Bytes data, Completion<Done> completion) {
        if (enqueue(key, data, completion)) {
            urgent = true;
            write();
        }
    }

    @Override
    public void putSoon(String key, Bytes data, Completion<Done> completion) {
        if (enqueue(key, data, completion)) {
            write();
        }
    }

    /** Returns false if the object is stored by itself. */
    private boolean enqueue(String key, Bytes data, Completion<Done> completion) {
        Optional<Entry> entry = data.size() > RUN_BYTES_MAX ? Optional.empty() : entry(key, data.size());
        if (entry.isEmpty()) {
            objects.put(key, data, completion);
            return false;
        }
        pending.add(new PendingRun(key, entry.get(), data, completion));
        pendingBytes += data.size();
        return true;
    }

    private Optional<Entry> entry(String key, int length) {
        return BackupPaths.actorOf(key)
                .filter(actor -> actor.cluster().equals(cluster))
                .flatMap(actor -> BackupPaths.runs(List.of(key), BackupPaths.logPrefix(cluster, actor.key())).stream()
                        .findFirst()
                        .map(run -> new Entry(actor.key(), run.first(), run.last(), run.epoch(), length)));
    }

    private void write() {
        if (writing == WRITES_MAX || pending.isEmpty()) {
            return;
        }
        long due = lastWriteNanos + periodNanos - clock.nanos();
        if (!urgent && due > 0 && pendingBytes < BATCH_BYTES_MAX) {
            if (!scheduled) {
                scheduled = true;
                timers.after(due, () -> {
                    scheduled = false;
                    write();
                });
            }
            return;
        }
        writeBatch();
    }

    private void writeBatch() {
        List<PendingRun> runs = new ArrayList<>();
        int chars = LogBatchKey.charsOf(cluster);
        int bytes = 0;
        for (PendingRun next = pending.peek(); next != null; next = pending.peek()) {
            chars += LogBatchKey.charsOf(next.entry());
            bytes += next.data().size();
            if (!runs.isEmpty() && (chars > LogBatchKey.CHARS_MAX || bytes > BATCH_BYTES_MAX)) {
                break;
            }
            runs.add(pending.remove());
            pendingBytes -= next.data().size();
        }
        urgent = !pending.isEmpty(); // they have waited as long
        writing++;
        lastWriteNanos = clock.nanos();
        if (runs.size() == 1) {
            PendingRun only = runs.get(0);
            objects.put(only.key(), only.data(), stored -> onWritten(runs, stored));
        } else {
            putBatch(runs, bytes);
        }
        write();
    }

    private void putBatch(List<PendingRun> runs, int bytes) {
        LogBatchKey batch = new LogBatchKey(
                cluster,
                clock.wallMillis(),
                ids.next(),
                runs.stream().map(PendingRun::entry).toList());
        BinaryWriter all = new BinaryWriter(bytes);
        runs.forEach(run -> all.writeRaw(run.data()));
        String name = batch.text();
        objects.put(name, all.finish(), stored -> {
            if (stored instanceof Outcome.Ok<Done>) {
                batches.put(name, batch);
                written.put(name, clock.nanos());
            }
            onWritten(runs, stored);
        });
    }

    private void onWritten(List<PendingRun> runs, Outcome<Done> stored) {
        writing--;
        runs.forEach(run -> run.completion().done(stored));
        write();
    }

    @Override
    public void list(String prefix, Completion<List<String>> completion) {
        if (!mayHaveRuns(prefix)) {
            objects.list(prefix, completion);
            return;
        }
        // Batches first: runs that replace a batch are there long before it is deleted.
        listBatches(completion.then(unused ->
                objects.list(prefix, completion.then(own -> completion.done(Outcome.ok(withBatched(prefix, own)))))));
    }

    /** False for the checkpoints and pins of an actor, and for objects of no actor of the cluster. */
    private boolean mayHaveRuns(String prefix) {
        String root = BackupPaths.cluster(cluster);
        boolean ofOtherKind = BackupPaths.actorOf(prefix + "-")
                .filter(actor -> !actor.kind().equals("log"))
                .isPresent();
        return !ofOtherKind && (prefix.startsWith(root) || root.startsWith(prefix));
    }

    /** Adds the keys of the runs in batches. */
    private List<String> withBatched(String prefix, List<String> own) {
        TreeSet<String> keys = new TreeSet<>(own);
        keys.forEach(locations::remove);
        Optional<ReplicaKey> actor = BackupPaths.actorOf(prefix + "log/-").map(BackupPaths.OfActor::key);
        batches.values().forEach(batch -> {
            int offset = 0;
            for (Entry entry : batch.entries()) {
                if (actor.isEmpty() || actor.get().equals(entry.key())) {
                    locate(prefix, keys, entry, new Location(batch, offset, entry.length()));
                }
                offset += entry.length();
            }
        });
        return List.copyOf(keys);
    }

    private void locate(String prefix, TreeSet<String> keys, Entry entry, Location location) {
        String run = entry.runKey(cluster);
        if (run.startsWith(prefix) && keys.add(run)) {
            locations.put(run, location);
        }
    }

    /** Finds the batches that exist now. */
    void listBatches(Completion<List<LogBatchKey>> completion) {
        long now = clock.wallMillis();
        TreeSet<String> gone = new TreeSet<>();
        batches.forEach((name, batch) -> {
            if (now - batch.wallMillis() > LISTED_MILLIS) {
                gone.add(name);
            }
        });
        objects.list(LogBatchKey.prefix(cluster), completion.then(names -> {
            for (String name : names) {
                gone.remove(name);
                if (!batches.containsKey(name)) {
                    batch(cluster, name).ifPresent(batch -> batches.put(name, batch));
                }
            }
            gone.forEach(this::forget);
            completion.done(Outcome.ok(List.copyOf(batches.values())));
        }));
    }

    /** The batches that this server has written, and that are older than this, in nanoseconds. */
    List<LogBatchKey> writtenBefore(long ageNanos) {
        List<LogBatchKey> old = new ArrayList<>();
        written.forEach((name, at) -> {
            LogBatchKey batch = batches.get(name);
            if (batch != null && clock.nanos() - at >= ageNanos) {
                old.add(batch);
            }
        });
        return old;
    }

    private void forget(String name) {
        LogBatchKey batch = batches.remove(name);
        written.remove(name);
        locations.values().removeIf(location -> location.batch().equals(batch));
    }

    @Override
    public void get(String key, Completion<Bytes> completion) {
        Location location = locations.get(key);
        if (location != null) {
            slice(location, got -> {
                // Another server may have made an object of the run, and deleted the batch.
                if (got instanceof Outcome.Err<Bytes>) {
                    objects.get(key, own -> completion.done(own instanceof Outcome.Ok<Bytes> ? own : got));
                } else {
                    completion.done(got);
                }
            });
        } else {
            objects.get(key, completion);
        }
    }

    private void slice(Location location, Completion<Bytes> completion) {
        read(
                location.batch(),
                completion.then(all -> completion.done(Outcome.ok(all.slice(location.offset(), location.length())))));
    }

    @Override
    public void delete(String key, Completion<Done> completion) {
        if (locations.remove(key) == null) {
            objects.delete(key, completion);
        } else {
            timers.post(() -> completion.done(Outcome.ok(Done.DONE)));
        }
    }

    /** Reads a whole batch; CORRUPT if it has another length than its key says. */
    void read(LogBatchKey batch, Completion<Bytes> completion) {
        objects.get(
                batch.text(),
                completion.then(data -> completion.done(
                        data.size() == batch.bytes()
                                ? Outcome.ok(data)
                                : Outcome.err(new UniserveException(
                                        ErrorCode.CORRUPT,
                                        "object " + batch.text() + " has another length than its key says")))));
    }

    /** Stores an object that is no run of a batch. */
    void putOwn(String key, Bytes data, Completion<Done> completion) {
        objects.put(key, data, completion);
    }

    void deleteBatch(String batch, Completion<Done> completion) {
        objects.delete(batch, completion.then(done -> {
            forget(batch);
            completion.done(Outcome.ok(done));
        }));
    }

    @Override
    public void separate(Collection<String> keys, Completion<Done> completion) {
        separateNext(keys.stream().filter(locations::containsKey).toList().iterator(), completion);
    }

    private void separateNext(Iterator<String> rest, Completion<Done> completion) {
        if (!rest.hasNext()) {
            timers.post(() -> completion.done(Outcome.ok(Done.DONE)));
            return;
        }
        String key = rest.next();
        get(key, completion.then(data -> {
            boolean isWhole =
                    entry(key, data.size()).filter(entry -> isRun(entry, data)).isPresent();
            if (!isWhole) {
                completion.done(Outcome.err(new UniserveException(ErrorCode.CORRUPT, key + " has bad entries")));
                return;
            }
            objects.put(key, data, completion.then(stored -> {
                locations.remove(key);
                separateNext(rest, completion);
            }));
        }));
    }

    private static boolean isRun(Entry entry, Bytes data) {
        return ReplicaLog.decode(data, entry.first()) instanceof Outcome.Ok<List<LogEntry>> ok
                && ok.value().size() == entry.last() - entry.first() + 1;
    }
}
