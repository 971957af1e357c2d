package io.uniserve.protocol.replica.primary;

import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import io.uniserve.protocol.replica.state.RequestOutcomeTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Updates in progress at a primary: those that are not in the table of requests yet (being validated, or logged and not applied), and those
 * that wait until an index is applied or at or below the high watermark. They are looked up by request, and never iterated in hash order,
 * so that simulations are deterministic.
 */
public final class PendingUpdates {
    private final int actor;
    private final Map<RequestId, Update> byRequest = new LinkedHashMap<>();
    private final TreeMap<Long, Update> byIndex = new TreeMap<>();
    private final TreeMap<Long, Update> unlogged = new TreeMap<>();
    private final TreeMap<Long, List<Waiter>> primaryWaiters = new TreeMap<>();
    private final TreeMap<Long, List<Waiter>> isrWaiters = new TreeMap<>();
    private long nextOrder;
    private int waiters;
    private long bytes;

    public PendingUpdates(int actor) {
        this.actor = actor;
    }

    /** Receiver of the result of an actor's update. Exactly one method is called, once. */
    public interface Callback {
        void onAck(ActorAck ack);

        void onFailure(ActorFailure failure);
    }

    /** A client that waits for a result. {@code refusal} is the reason in a REFUSED entry, empty if the update is not refused. */
    private record Waiter(AckLevel level, boolean duplicate, long epoch, String refusal, Callback callback) {
        Waiter withEpoch(long newEpoch) {
            return new Waiter(level, duplicate, newEpoch, refusal, callback);
        }

        void complete(int actor, long index) {
            if (refusal.isEmpty()) {
                callback.onAck(new ActorAck(actor, epoch, index, duplicate));
            } else {
                callback.onFailure(new ActorFailure(actor, ErrorCode.UPDATE_REFUSED, text(refusal), epoch));
            }
        }

        private static String text(String refusal) {
            return "the engine cannot apply the update, so all replicas refuse it: " + refusal;
        }
    }

    /** An update that is not in the table of requests yet. */
    static final class Update {
        final RequestId request;
        final long hash;
        private final long order;
        private final int bytes;
        private final List<Waiter> waiting = new ArrayList<>();
        private long index;
        private String refusal = "";

        private Update(RequestId request, long hash, int bytes, long order) {
            this.request = request;
            this.hash = hash;
            this.bytes = bytes;
            this.order = order;
        }
    }

    boolean hasRoom(int more) {
        return waiters < Limits.PENDING_UPDATES_PER_ACTOR_MAX
                && bytes + more <= Limits.PENDING_UPDATE_BYTES_PER_ACTOR_MAX;
    }

    public boolean isEmpty() {
        return byRequest.isEmpty() && waiters == 0;
    }

    @Nullable
    Update find(RequestId request) {
        return byRequest.get(request);
    }

    Update add(RequestId request, long hash, int size) {
        Update update = new Update(request, hash, size, nextOrder++);
        byRequest.put(request, update);
        unlogged.put(update.order, update);
        bytes += size;
        return update;
    }

    /** Adds a client that waits for the update's result. */
    void addWaiter(Update update, AckLevel level, boolean duplicate, long epoch, Callback callback) {
        Waiter waiter = new Waiter(level, duplicate, epoch, update.refusal, callback);
        waiters++;
        if (update.index > 0) {
            await(update.index, waiter);
        } else {
            update.waiting.add(waiter);
        }
    }

    /** Waits for an index that the table of requests returned. */
    void addRecordedWaiter(RequestOutcomeTable.Lookup.Recorded recorded, AckLevel level, Callback callback) {
        waiters++;
        await(recorded.index(), new Waiter(level, true, recorded.epoch(), recorded.refusal(), callback));
    }

    /** Calls back when this index is applied and at or below the high watermark, and no removed replica is unfenced. */
    void awaitHighWatermark(long index, long epoch, Callback callback) {
        waiters++;
        await(index, new Waiter(AckLevel.ISR, false, epoch, "", callback));
    }

    private void await(long index, Waiter waiter) {
        (waiter.level() == AckLevel.ISR ? isrWaiters : primaryWaiters)
                .computeIfAbsent(index, i -> new ArrayList<>())
                .add(waiter);
    }

    /** Records the update's index in the log. */
    void onLogged(Update update, long index, long epoch) {
        update.index = index;
        unlogged.remove(update.order);
        byIndex.put(index, update);
        update.waiting.forEach(waiter -> await(index, waiter.withEpoch(epoch)));
        update.waiting.clear();
    }

    /** Handles a REFUSED entry at this index: clients get the refusal when the entry would be acknowledged. */
    void onRefused(long index, String reason) {
        Update update = byIndex.get(index);
        if (update != null) {
            update.refusal = reason;
        }
        for (TreeMap<Long, List<Waiter>> level : List.of(primaryWaiters, isrWaiters)) {
            level.computeIfPresent(
                    index,
                    (i, all) -> new ArrayList<>(all.stream()
                            .map(w -> new Waiter(w.level(), w.duplicate(), w.epoch(), reason, w.callback()))
                            .toList()));
        }
    }

    /** Fails clients that wait for an entry at this index at once, because the log will not have it. */
    void failRefused(long index, String reason, long epoch) {
        List<Waiter> told = isrWaiters.remove(index);
        for (Waiter waiter : told == null ? List.<Waiter>of() : told) {
            waiters--;
            waiter.callback().onFailure(new ActorFailure(actor, ErrorCode.UPDATE_REFUSED, Waiter.text(reason), epoch));
        }
    }

    /** Fails an update that will not be logged. */
    void failUnlogged(Update update, ErrorCode code, String message, long epoch) {
        unlogged.remove(update.order);
        remove(update);
        waiters -= update.waiting.size();
        update.waiting.forEach(waiter -> waiter.callback().onFailure(new ActorFailure(actor, code, message, epoch)));
    }

    private void remove(Update update) {
        byRequest.remove(update.request);
        bytes -= update.bytes;
    }

    /**
     * Completes updates after progress of the log.
     *
     * @param applied entries up to here are durable and applied
     * @param primary entries up to here may be acknowledged at level PRIMARY
     * @param stable entries up to here may be acknowledged at level ISR: at or below the high watermark, without unfenced replicas
     */
    void onProgress(long applied, long primary, long stable) {
        while (!byIndex.isEmpty() && byIndex.firstKey() <= applied) {
            remove(byIndex.pollFirstEntry().getValue());
        }
        acknowledge(primaryWaiters, primary);
        acknowledge(isrWaiters, stable);
    }

    private void acknowledge(TreeMap<Long, List<Waiter>> level, long through) {
        while (!level.isEmpty() && level.firstKey() <= through) {
            Map.Entry<Long, List<Waiter>> first = level.pollFirstEntry();
            for (Waiter waiter : first.getValue()) {
                waiters--;
                waiter.complete(actor, first.getKey());
            }
        }
    }

    /** Fails the updates from this index on, whose entries were removed from the log. */
    public void failFrom(long index, ErrorCode code, String message, long epoch) {
        while (!byIndex.isEmpty() && byIndex.lastKey() >= index) {
            remove(byIndex.pollLastEntry().getValue());
        }
        for (TreeMap<Long, List<Waiter>> level : List.of(primaryWaiters, isrWaiters)) {
            while (!level.isEmpty() && level.lastKey() >= index) {
                for (Waiter waiter : level.pollLastEntry().getValue()) {
                    waiters--;
                    waiter.callback().onFailure(new ActorFailure(actor, code, message, epoch));
                }
            }
        }
    }

    /** Fails all updates, as this primary acknowledges nothing more. */
    public void failAll(ErrorCode code, String message, long epoch) {
        failFrom(0, code, message, epoch);
        while (!unlogged.isEmpty()) {
            failUnlogged(unlogged.firstEntry().getValue(), code, message, epoch);
        }
    }
}
