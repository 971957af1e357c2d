package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.TransactionLogState.Batch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Updates of one table without an outcome, at their driver, in the order in which they came; bounded by number and by bytes.
 * Rows that were staged at their primaries are no part of the sum: room for them was found there.
 */
final class UpdateQueue {
    private final Map<RequestId, QueuedUpdate> updates = new LinkedHashMap<>();
    private long bytes;

    /**
     * Why there is no room for one more; null where there is.
     *
     * @param others updates beside these that wait for something else, and their bytes
     */
    @Nullable
    UniserveException refusal(TableName table, QueuedUpdate update, int others, long otherBytes) {
        long held = bytes + otherBytes;
        if (updates.size() + others >= Limits.ATOMIC_UPDATES_WAITING_MAX) {
            return new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED, "too many updates of table " + table + " wait: slow down");
        }
        if (held > 0 && held + update.held > Limits.ATOMIC_UPDATES_WAITING_BYTES_MAX) {
            return new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "updates of table " + table + " with " + held + " bytes wait, at most "
                            + Limits.ATOMIC_UPDATES_WAITING_BYTES_MAX + ": slow down");
        }
        return null;
    }

    @Nullable
    QueuedUpdate get(RequestId request) {
        return updates.get(request);
    }

    /** Adds it; one that is there already keeps its place. */
    void put(QueuedUpdate update) {
        if (updates.put(update.batch.request(), update) == null) {
            bytes += update.held;
        }
    }

    /** The queued update with the same content: the client may have sent it again. */
    QueuedUpdate now(QueuedUpdate update) {
        QueuedUpdate known = updates.get(update.batch.request());
        return known != null && known.batch.equals(update.batch) ? known : update;
    }

    /** Another content of its request id stays. */
    void remove(QueuedUpdate update) {
        QueuedUpdate known = updates.get(update.batch.request());
        if (known != null && known.batch.equals(update.batch)) {
            updates.remove(update.batch.request());
            bytes -= known.held;
        }
    }

    /** Ends those of them that are here. */
    void fail(Collection<RequestId> requests, ErrorCode code, String message) {
        for (RequestId request : requests) {
            QueuedUpdate update = updates.get(request);
            if (update != null) {
                remove(update);
                update.failed(code, message);
            }
        }
    }

    /** Fails updates whose participants reject them now: they are in no version that could still commit. */
    void failEach(Function<QueuedUpdate, Transaction.@Nullable Obstacle> obstacles) {
        for (QueuedUpdate update : all()) {
            Transaction.Obstacle obstacle = obstacles.apply(update);
            if (obstacle != null) {
                remove(update);
                update.failed(obstacle.code(), obstacle.reason());
            }
        }
    }

    /**
     * Updates of the next version, the oldest first: at least one if any is not skipped, and no more bytes than
     * {@link Limits#BATCH_BYTES_MAX} otherwise. They stay in the queue.
     */
    List<QueuedUpdate> merged(int updatesMax, Predicate<QueuedUpdate> skipped) {
        List<QueuedUpdate> merged = new ArrayList<>();
        long sum = 0;
        for (QueuedUpdate update : updates.values()) {
            if (skipped.test(update)) {
                continue;
            }
            if (!merged.isEmpty() && sum + update.bytes > Limits.BATCH_BYTES_MAX || merged.size() == updatesMax) {
                break;
            }
            merged.add(update);
            sum += update.bytes;
        }
        return merged;
    }

    boolean isEmpty() {
        return updates.isEmpty();
    }

    /** As they are now, the oldest first. */
    List<QueuedUpdate> all() {
        return List.copyOf(updates.values());
    }

    boolean holds(List<Batch> batches) {
        return batches.stream().allMatch(batch -> updates.containsKey(batch.request()));
    }

    /** Lets go of all of them. */
    List<QueuedUpdate> clear() {
        List<QueuedUpdate> all = all();
        updates.clear();
        bytes = 0;
        return all;
    }
}
