package io.uniserve.simulator.disk;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.backup.batch.LogBatchStore;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.FaultIntensity;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Twin of the object storage that the cluster shares. It is slow and sometimes fails; a failed put may have taken effect. A put may take
 * effect once more later, also after the object was deleted. A get may return a flipped bit or a truncated object. The next get is correct,
 * unless the object is rotten: such an object stays damaged.
 */
public final class SimObjectStore {
    private static final long LATENCY_MIN_NANOS = 5_000_000;
    private static final long LATENCY_SPREAD_NANOS = 20_000_000;
    private static final long SLOW_NANOS = 10_000_000_000L;
    private static final long LISTED_LATE_NANOS = 5_000_000_000L;
    private static final long REPEATED_NANOS_MIN = 5_000_000_000L;
    private static final long REPEATED_NANOS_SPREAD = 55_000_000_000L;

    private final EventQueue queue;
    private final Prng random;
    private final FaultIntensity faultIntensity;
    private final NavigableMap<String, Bytes> objects = new TreeMap<>();
    private final NavigableMap<String, Bytes> corrupted = new TreeMap<>();
    private final Prng repetitions;
    private final TreeSet<String> revived = new TreeSet<>();
    private int repetitionsDue;
    private final TreeMap<String, Long> storedAtNanos = new TreeMap<>();
    private int listings;
    private final String cluster;
    private final boolean isPricedPerRequest;
    private BiConsumer<String, Bytes> listener = (key, data) -> {};

    /**
     * @param cluster name of the cluster, whose batches of log runs are taken apart for checks
     * @param isPricedPerRequest true for a store whose users put small runs of logs into batches
     */
    public SimObjectStore(
            EventQueue queue, Prng random, FaultIntensity faultIntensity, String cluster, boolean isPricedPerRequest) {
        this.queue = queue;
        this.cluster = cluster;
        this.isPricedPerRequest = isPricedPerRequest;
        this.random = random;
        this.repetitions = random.fork("repetitions");
        this.faultIntensity = faultIntensity;
    }

    /** The store as one process uses it. */
    public ObjectStore of(SimProcess process) {
        return new View(process);
    }

    /** Adds a listener to every put, with the data of the caller. */
    public void listen(BiConsumer<String, Bytes> heard) {
        listener = listener.andThen(heard);
    }

    /** Number of objects. */
    public long count() {
        return objects.size();
    }

    /** Size of all objects in bytes. */
    public long bytes() {
        return objects.values().stream().mapToLong(Bytes::size).sum();
    }

    /** True if an object with this part in its key is damaged for good. */
    public boolean hasCorrupted(String part) {
        return corrupted.keySet().stream()
                .anyMatch(key -> key.contains(part) || runs(key).stream().anyMatch(run -> run.contains(part)));
    }

    /** True if the object of this key is damaged for good, or the batch with this run of a log. */
    public boolean isCorrupted(String key) {
        return corrupted.containsKey(key)
                || !objects.containsKey(key)
                        && corrupted.keySet().stream()
                                .anyMatch(batch -> runs(batch).contains(key));
    }

    /** Keys of the runs of logs in a batch; empty for another object. */
    private Set<String> runs(String key) {
        Bytes data = objects.get(key);
        return data == null ? Set.of() : LogBatchStore.runs(cluster, key, data).keySet();
    }

    /** True if the object is there only because a put took effect once more after the deletion. */
    public boolean isRevived(String key) {
        return revived.contains(key) && objects.containsKey(key);
    }

    /** Number of puts that will take effect once more. */
    public int repetitionsDue() {
        return repetitionsDue;
    }

    /** Keys of all objects and of all runs of logs in batches, in order. */
    public List<String> keys() {
        TreeSet<String> keys = new TreeSet<>(objects.keySet());
        objects.keySet().forEach(key -> keys.addAll(runs(key)));
        return List.copyOf(keys);
    }

    private <T> void call(SimProcess process, Supplier<T> action, Completion<T> completion) {
        SimProcess.Pending<T> pending = process.begin(completion);
        long delay = LATENCY_MIN_NANOS + random.below(LATENCY_SPREAD_NANOS);
        if (faultIntensity.draw(Fault.STORE_SLOW)) {
            delay += random.below(SLOW_NANOS);
        }
        boolean fails = faultIntensity.draw(Fault.STORE_FAILED);
        boolean doneAllTheSame = random.below(2) == 0;
        queue.after(delay, () -> {
            if (fails && !doneAllTheSame) {
                pending.complete(0, Outcome.err(new UniserveException(ErrorCode.IO, "object storage failed")));
                return;
            }
            Outcome<T> outcome = outcome(action);
            pending.complete(
                    0,
                    fails
                            ? Outcome.err(new UniserveException(ErrorCode.IO, "object storage gave no answer"))
                            : outcome);
        });
    }

    /** Repeats a put later if that fault strikes. The store then refuses it, unless the object was deleted meanwhile. */
    private void repeatLater(String key, Bytes data) {
        if (!faultIntensity.drawByHash(Fault.PUT_REPEATED, key.hashCode())) {
            return;
        }
        repetitionsDue++;
        queue.after(REPEATED_NANOS_MIN + repetitions.below(REPEATED_NANOS_SPREAD), () -> {
            repetitionsDue--;
            if (objects.putIfAbsent(key, data) == null) {
                revived.add(key);
            }
        });
    }

    private Bytes corrupt(Bytes right) {
        if (right.size() == 0 || random.below(3) == 0) {
            return right.slice(0, random.below(right.size() + 1) / 2);
        }
        byte[] bytes = right.toArray();
        bytes[random.below(bytes.length)] ^= (byte) (1 << random.below(8));
        return Bytes.wrap(bytes);
    }

    private static <T> Outcome<T> outcome(Supplier<T> action) {
        try {
            return Outcome.ok(action.get());
        } catch (UniserveException e) {
            return Outcome.err(e);
        }
    }

    private final class View implements ObjectStore {
        private final SimProcess process;

        private View(SimProcess process) {
            this.process = process;
        }

        @Override
        public void put(String key, Bytes data, Completion<Done> completion) {
            call(
                    process,
                    () -> {
                        Bytes old = objects.putIfAbsent(key, data);
                        if (old != null && !old.equals(data)) {
                            throw UniserveException.invalid(
                                    "object " + key + " is there with other bytes; objects never change");
                        }
                        if (old == null && data.size() > 0 && faultIntensity.draw(Fault.OBJECT_ROTTEN)) {
                            corrupted.put(key, corrupt(data));
                        }
                        if (old == null) {
                            storedAtNanos.put(key, queue.now());
                            revived.remove(key);
                            repeatLater(key, data);
                        }
                        listener.accept(key, data);
                        NavigableMap<String, Bytes> runs = LogBatchStore.runs(cluster, key, data);
                        if (!runs.isEmpty()) {
                            faultIntensity.count(Fault.RUNS_BATCHED);
                        }
                        runs.forEach(listener);
                        return Done.DONE;
                    },
                    completion);
        }

        @Override
        public boolean isPricedPerRequest() {
            return isPricedPerRequest;
        }

        @Override
        public void get(String key, Completion<Bytes> completion) {
            call(
                    process,
                    () -> {
                        Bytes found = objects.get(key);
                        if (found == null) {
                            throw new UniserveException(ErrorCode.IO, "no such object: " + key);
                        }
                        Bytes given = corrupted.getOrDefault(key, found);
                        return faultIntensity.draw(Fault.STORE_LIED) ? corrupt(given) : given;
                    },
                    completion);
        }

        @Override
        public void list(String prefix, Completion<List<String>> completion) {
            call(
                    process,
                    () -> {
                        boolean late = faultIntensity.drawByHash(Fault.LISTED_LATE, ++listings);
                        List<String> keys = new ArrayList<>();
                        for (String key : objects.tailMap(prefix).keySet()) {
                            if (!key.startsWith(prefix)) {
                                break;
                            }
                            if (!late || queue.now() - storedAtNanos.getOrDefault(key, 0L) > LISTED_LATE_NANOS) {
                                keys.add(key);
                            }
                        }
                        return keys;
                    },
                    completion);
        }

        @Override
        public void delete(String key, Completion<Done> completion) {
            call(
                    process,
                    () -> {
                        Bytes data = objects.get(key);
                        if (data != null
                                && !LogBatchStore.runs(cluster, key, data).isEmpty()) {
                            faultIntensity.count(Fault.BATCH_REPLACED);
                        }
                        objects.remove(key);
                        corrupted.remove(key);
                        return Done.DONE;
                    },
                    completion);
        }
    }
}
