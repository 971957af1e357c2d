package io.uniserve.simulator.disk;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.FaultIntensity;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Twin of the disk for one start of a process. An operation takes effect at its end, not at all, or partly at a crash. */
public final class SimDisk implements Disk {
    private static final long LATENCY_MIN_NANOS = 20_000;
    private static final long LATENCY_SPREAD_NANOS = 200_000;
    private static final long SYNC_NANOS = 2_000_000;
    private static final long SLOW_NANOS = 1_500_000_000L;
    private static final long HANG_MIN_NANOS = 5_000_000_000L;
    private static final long HANG_SPREAD_NANOS = 25_000_000_000L;

    private final EventQueue queue;
    private final Prng random;
    private final FaultIntensity faultIntensity;
    private final SimProcess process;
    private final SimDiskMedium simulatedDisk;
    private final SyncPolicy syncs;
    private final Map<Integer, Write> writes = new LinkedHashMap<>();
    private int nextWrite;
    private boolean full;
    private long hangsUntil;

    public SimDisk(
            EventQueue queue,
            Prng random,
            FaultIntensity faultIntensity,
            SimProcess process,
            SimDiskMedium simulatedDisk,
            SyncPolicy syncs) {
        this.queue = queue;
        this.random = random;
        this.faultIntensity = faultIntensity;
        this.process = process;
        this.simulatedDisk = simulatedDisk;
        this.syncs = syncs;
    }

    /** Makes the disk full, so that writes fail, or ends that. */
    public void setFull(boolean value) {
        full = value;
    }

    /** True while it is full or an fsync hangs. */
    public boolean isFaulty() {
        return full || queue.now() < hangsUntil;
    }

    /** Loses unsynced data. Writes under way take effect fully, partly or not at all. */
    public void crash(boolean tear) {
        for (Write write : List.copyOf(writes.values())) {
            write.atCrash();
        }
        writes.clear();
        SimDiskMedium.CrashLoss loss = simulatedDisk.crash(random, tear);
        for (int i = 0; i < loss.lost(); i++) {
            faultIntensity.count(Fault.DISK_UNSYNCED_LOST);
        }
        for (int i = 0; i < loss.torn(); i++) {
            faultIntensity.count(Fault.DISK_TORN_WRITE);
        }
    }

    @Override
    public void append(String path, Bytes data, Completion<Done> completion) {
        Runnable part = () -> simulatedDisk.append(path, data.slice(0, random.below(data.size() + 1)));
        write(true, latency(), () -> simulatedDisk.append(path, data), part, completion);
    }

    @Override
    public void sync(String path, Completion<Done> completion) {
        SimProcess.Pending<Done> pending = process.begin(completion);
        boolean fails = faultIntensity.draw(Fault.DISK_IO_ERROR);
        long hangs = faultIntensity.draw(Fault.DISK_HUNG) ? HANG_MIN_NANOS + random.below(HANG_SPREAD_NANOS) : 0;
        hangsUntil = Math.max(hangsUntil, queue.now() + hangs);
        queue.after(latency() + random.below(SYNC_NANOS) + hangs, () -> {
            if (pending.isEnded()) {
                return;
            }
            if (fails) {
                pending.complete(0, attempt(() -> simulatedDisk.syncFailed(path), true));
                return;
            }
            pending.complete(
                    0,
                    attempt(
                            () -> {
                                if (syncs.reallySyncs(process, path)) {
                                    simulatedDisk.sync(path);
                                }
                            },
                            false));
        });
    }

    @Override
    public void read(String path, Completion<Bytes> completion) {
        readOperation(() -> simulatedDisk.read(path), completion);
    }

    @Override
    public void readRange(String path, long offset, int length, Completion<Bytes> completion) {
        readOperation(() -> simulatedDisk.readRange(path, offset, length), completion);
    }

    @Override
    public void replace(String path, Bytes data, Completion<Done> completion) {
        boolean grows = !full || random.below(8) == 0; // small files usually fit into the reserved space
        write(
                grows,
                latency() + random.below(SYNC_NANOS),
                () -> simulatedDisk.replace(path, data),
                () -> {},
                completion);
    }

    @Override
    public void truncate(String path, long size, Completion<Done> completion) {
        write(
                false,
                latency() + random.below(SYNC_NANOS),
                () -> simulatedDisk.truncate(path, size),
                () -> {},
                completion);
    }

    @Override
    public void move(String from, String to, Completion<Done> completion) {
        write(false, latency() + random.below(SYNC_NANOS), () -> simulatedDisk.move(from, to), () -> {}, completion);
    }

    @Override
    public void delete(String path, Completion<Done> completion) {
        write(false, latency(), () -> simulatedDisk.delete(path), () -> {}, completion);
    }

    @Override
    public void list(String directory, Completion<List<Entry>> completion) {
        readOperation(() -> simulatedDisk.list(directory), completion);
    }

    private <T> void readOperation(Supplier<T> action, Completion<T> completion) {
        SimProcess.Pending<T> pending = process.begin(completion);
        boolean fails = faultIntensity.draw(Fault.DISK_IO_ERROR);
        queue.after(latency(), () -> {
            if (!pending.isEnded()) {
                pending.complete(
                        0,
                        fails
                                ? Outcome.err(new UniserveException(ErrorCode.IO, "input/output error"))
                                : outcome(action));
            }
        });
    }

    private void write(boolean grows, long delayNanos, Runnable action, Runnable part, Completion<Done> completion) {
        SimProcess.Pending<Done> pending = process.begin(completion);
        int number = nextWrite++;
        writes.put(number, new Write(action, part, random));
        boolean fails = faultIntensity.draw(Fault.DISK_IO_ERROR);
        boolean noRoom = grows && full;
        if (noRoom) {
            faultIntensity.count(Fault.DISK_FULL);
        }
        queue.after(delayNanos, () -> {
            if (pending.isEnded()) {
                return;
            }
            writes.remove(number);
            if (fails || noRoom) {
                part.run();
                ErrorCode code = noRoom ? ErrorCode.DISK_FULL : ErrorCode.IO;
                pending.complete(
                        0,
                        Outcome.err(new UniserveException(
                                code, noRoom ? "no space left on device" : "input/output error")));
                return;
            }
            pending.complete(0, attempt(action, false));
        });
    }

    private static Outcome<Done> attempt(Runnable action, boolean thenFail) {
        return outcome(() -> {
            action.run();
            if (thenFail) {
                throw new UniserveException(ErrorCode.IO, "input/output error");
            }
            return Done.DONE;
        });
    }

    private static <T> Outcome<T> outcome(Supplier<T> action) {
        try {
            return Outcome.ok(action.get());
        } catch (UniserveException e) {
            return Outcome.err(e);
        }
    }

    private long latency() {
        long base = LATENCY_MIN_NANOS + random.below(LATENCY_SPREAD_NANOS);
        return faultIntensity.draw(Fault.DISK_SLOW) ? base + random.below(SLOW_NANOS) : base;
    }

    private record Write(Runnable action, Runnable part, Prng random) {
        private void atCrash() {
            int how = random.below(3);
            if (how > 0) {
                attempt(how == 1 ? action : part, false);
            }
        }
    }

    /** Decision whether a sync takes effect. A planted bug reports success without it. */
    @FunctionalInterface
    public interface SyncPolicy {
        boolean reallySyncs(SimProcess process, String path);
    }
}
