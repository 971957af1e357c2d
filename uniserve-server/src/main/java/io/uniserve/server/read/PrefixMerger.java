package io.uniserve.server.read;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.message.client.ActorFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Merges values of a read's first targets before the others have arrived, so that many large values do not wait in memory. Values are
 * merged in the order of targets, so the result is the same as of one merge at the end. Thread-safe.
 *
 * <p>A merge begins when the waiting values take more than {@link #WAITING_BYTES_MAX}, and more than the merged value. So the values of a
 * read are copied a few times at most.
 */
final class PrefixMerger {
    /** Memory of values that wait for a merge. */
    static final long WAITING_BYTES_MAX = 4 << 20;

    /** Entry of a target with a merged value. */
    private static final Object MERGED = new Object();

    private final ReadRequestResources resources;
    private final AtomicReferenceArray<@Nullable Object> results;
    private final long[] bytes;
    private final AtomicLong waitingBytes = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile long mergedBytes;
    private int next;
    private @Nullable Object merged;
    private @Nullable UniserveException failure;

    /** @param results a value or a failure per target, null until it is there */
    PrefixMerger(ReadRequestResources resources, AtomicReferenceArray<@Nullable Object> results) {
        this.resources = resources;
        this.results = results;
        this.bytes = new long[results.length()];
    }

    /** Records the result of a target, and merges if many bytes wait. The calling thread does the merge. */
    void set(int place, Object result, long size) {
        bytes[place] = size; // published by the next line
        results.set(place, result);
        if (size > 0 && waitingBytes.addAndGet(size) > threshold() && acquire()) {
            try {
                mergePrefix();
            } finally {
                lock.unlock();
            }
        }
    }

    private long threshold() {
        return Math.max(WAITING_BYTES_MAX, mergedBytes);
    }

    /** A worker waits for the merge of another only if values arrive faster than they are merged. */
    private boolean acquire() {
        if (lock.tryLock()) {
            return true;
        }
        if (waitingBytes.get() <= 2 * threshold()) {
            return false;
        }
        lock.lock();
        return true;
    }

    private void mergePrefix() {
        OperatorRun<?, ?, ?> run = resources.operator();
        if (run == null || !run.merges()) {
            return;
        }
        List<Object> values = new ArrayList<>();
        if (merged != null) {
            values.add(merged);
        }
        long taken = 0;
        int end = next;
        for (Object result = result(end); result != null; result = result(++end)) {
            if (!(result instanceof ActorFailure)) {
                values.add(result);
                taken += bytes[end];
            }
        }
        if (taken <= threshold() || values.size() < 2) {
            return; // an earlier target is still open
        }
        merge(run, values, taken);
        for (int place = next; place < end; place++) {
            if (!(results.get(place) instanceof ActorFailure)) {
                results.set(place, MERGED);
            }
        }
        waitingBytes.addAndGet(-taken);
        next = end;
    }

    private void merge(OperatorRun<?, ?, ?> run, List<Object> values, long taken) {
        long before = mergedBytes + taken;
        try {
            merged = failure == null ? run.mergeEarly(values) : null;
            mergedBytes = resources.replaceReserved(before, merged == null ? 0 : run.memory(merged));
        } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
            failure = resources.fault("merging of ", e);
            merged = null;
            mergedBytes = resources.replaceReserved(before, 0);
        }
    }

    private @Nullable Object result(int place) {
        return place < results.length() ? results.get(place) : null;
    }

    /**
     * Returns the values to merge at the end, when all targets have ended. Fails with the error of an early merge.
     *
     * @param rest values that were not merged, in the order of targets
     */
    List<Object> withMerged(List<Object> rest) {
        lock.lock(); // sees the writes of the last merge
        try {
            if (failure != null) {
                throw failure;
            }
            List<Object> values = new ArrayList<>();
            if (merged != null) {
                values.add(merged);
            }
            rest.stream().filter(value -> value != MERGED).forEach(values::add);
            return values;
        } finally {
            lock.unlock();
        }
    }
}
