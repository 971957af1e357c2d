package io.uniserve.protocol.transaction.manager;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TransactionLogState.Batch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Queue of a table's updates without an outcome, at their transaction manager, in order of arrival. It is bounded by number and by bytes.
 * Staged rows do not count: the primaries that stage them have their own limit.
 */
final class UpdateQueue {
    private final Map<RequestId, QueuedUpdate> updates = new LinkedHashMap<>();
    private long bytes;

    /**
     * The error for an update that finds no room; null if there is room.
     *
     * @param others number of updates outside the queue that count too
     * @param otherBytes bytes of those updates
     */
    @Nullable
    UniserveException capacityError(TableName table, QueuedUpdate update, int others, long otherBytes) {
        long held = bytes + otherBytes;
        if (updates.size() + others >= Limits.ATOMIC_UPDATES_WAITING_MAX) {
            return new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED, "too many updates of table " + table + " wait: slow down");
        }
        if (held > 0 && held + update.memoryBytes > Limits.ATOMIC_UPDATES_WAITING_BYTES_MAX) {
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

    /** Adds the update. A request id that is queued already keeps its position. */
    void put(QueuedUpdate update) {
        if (updates.put(update.batch.request(), update) == null) {
            bytes += update.memoryBytes;
        }
    }

    /** The queued update with the same id and content, because the client may have sent it again; else the given one. */
    QueuedUpdate current(QueuedUpdate update) {
        QueuedUpdate known = updates.get(update.batch.request());
        return known != null && known.batch.equals(update.batch) ? known : update;
    }

    /** Removes the update, unless the queued one with this request id has other content. */
    void remove(QueuedUpdate update) {
        QueuedUpdate known = updates.get(update.batch.request());
        if (known != null && known.batch.equals(update.batch)) {
            updates.remove(update.batch.request());
            bytes -= known.memoryBytes;
        }
    }

    /** Removes and fails those of these requests that are in the queue. */
    void fail(Collection<RequestId> requests, ErrorCode code, String message) {
        for (RequestId request : requests) {
            QueuedUpdate update = updates.get(request);
            if (update != null) {
                remove(update);
                update.fail(code, message);
            }
        }
    }

    /**
     * Removes and fails updates that are past their deadline.
     *
     * @param running true for an update in a version that may still commit: it waits for the decision
     */
    void failExpired(long now, Predicate<QueuedUpdate> running) {
        for (QueuedUpdate update : all()) {
            if (!running.test(update) && now - update.deadlineNanos >= 0) {
                remove(update);
                update.fail(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "not decided before the deadline: the update may still be applied, retry with the same id");
            }
        }
    }

    /** Fails updates with a participant that rejects them at present. Requires that they are in no version that could still commit. */
    void failRejected(Function<QueuedUpdate, Transaction.@Nullable ParticipantError> obstacles) {
        for (QueuedUpdate update : all()) {
            Transaction.ParticipantError obstacle = obstacles.apply(update);
            if (obstacle != null) {
                remove(update);
                update.fail(obstacle.code(), obstacle.reason());
            }
        }
    }

    /**
     * Updates for the next version, the oldest first. It has at most {@link Limits#BATCH_BYTES_MAX} bytes, except for a single larger
     * update. The updates stay in the queue.
     */
    List<QueuedUpdate> mergeNext(int updatesMax, Predicate<QueuedUpdate> skipped) {
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

    /** A copy, the oldest update first. */
    List<QueuedUpdate> all() {
        return List.copyOf(updates.values());
    }

    boolean containsAll(List<Batch> batches) {
        return batches.stream().allMatch(batch -> updates.containsKey(batch.request()));
    }

    /** Removes and returns all updates. */
    List<QueuedUpdate> clear() {
        List<QueuedUpdate> all = all();
        updates.clear();
        bytes = 0;
        return all;
    }
}
