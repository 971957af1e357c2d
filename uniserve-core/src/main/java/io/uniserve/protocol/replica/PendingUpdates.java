package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.UpdateReply.ActorAck;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Updates on their way: those that the table of requests does not show yet (being validated, or logged and not applied),
 * and those that wait for an index to be applied or stable. Looked up by request, never iterated in hash order.
 */
public final class PendingUpdates {
    private final int actor;
    private final Map<RequestId, Update> byRequest = new LinkedHashMap<>();
    private final TreeMap<Long, Update> byIndex = new TreeMap<>();
    private final TreeMap<Long, Update> unlogged = new TreeMap<>();
    private final TreeMap<Long, List<Waiter>> primaryLevel = new TreeMap<>();
    private final TreeMap<Long, List<Waiter>> isrLevel = new TreeMap<>();
    private long nextOrder;
    private int waiters;
    private long bytes;

    PendingUpdates(int actor) {
        this.actor = actor;
    }

    /** Hears how an actor's update ended, once. */
    public interface Callback {
        void acked(ActorAck ack);

        void failed(ActorFailure failure);
    }

    /** {@code refusal} says why the log refuses the update, empty where it does not. */
    private record Waiter(AckLevel level, boolean duplicate, long epoch, String refusal, Callback callback) {
        Waiter at(long newEpoch) {
            return new Waiter(level, duplicate, newEpoch, refusal, callback);
        }

        void answer(int actor, long index) {
            if (refusal.isEmpty()) {
                callback.acked(new ActorAck(actor, epoch, index, duplicate));
            } else {
                callback.failed(new ActorFailure(actor, ErrorCode.UPDATE_REFUSED, text(refusal), epoch));
            }
        }

        private static String text(String refusal) {
            return "the engine cannot apply the update, which is refused everywhere: " + refusal;
        }
    }

    /** An update that the table of requests does not show yet. */
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

    boolean isEmpty() {
        return byRequest.isEmpty() && waiters == 0;
    }

    @Nullable
    Update find(RequestId request) {
        return byRequest.get(request);
    }

    Update admit(RequestId request, long hash, int size) {
        Update update = new Update(request, hash, size, nextOrder++);
        byRequest.put(request, update);
        unlogged.put(update.order, update);
        bytes += size;
        return update;
    }

    /** One more asks for the update's outcome. */
    void join(Update update, AckLevel level, boolean duplicate, long epoch, Callback callback) {
        Waiter waiter = new Waiter(level, duplicate, epoch, update.refusal, callback);
        waiters++;
        if (update.index > 0) {
            await(update.index, waiter);
        } else {
            update.waiting.add(waiter);
        }
    }

    /** Asks for an index that the table of requests gave. */
    void joinRecorded(RequestTable.Answer.Recorded recorded, AckLevel level, Callback callback) {
        waiters++;
        await(recorded.index(), new Waiter(level, true, recorded.epoch(), recorded.refusal(), callback));
    }

    /** Calls back when what the log has up to this index is stable and applied, with nothing unfenced. */
    void awaitStable(long index, long epoch, Callback callback) {
        waiters++;
        await(index, new Waiter(AckLevel.ISR, false, epoch, "", callback));
    }

    private void await(long index, Waiter waiter) {
        (waiter.level() == AckLevel.ISR ? isrLevel : primaryLevel)
                .computeIfAbsent(index, i -> new ArrayList<>())
                .add(waiter);
    }

    /** The update was given its place in the log. */
    void logged(Update update, long index, long epoch) {
        update.index = index;
        unlogged.remove(update.order);
        byIndex.put(index, update);
        update.waiting.forEach(waiter -> await(index, waiter.at(epoch)));
        update.waiting.clear();
    }

    /** The log says at this index that the update is refused: whoever waits is told so where it would be acknowledged. */
    void refused(long index, String reason) {
        Update update = byIndex.get(index);
        if (update != null) {
            update.refusal = reason;
        }
        for (TreeMap<Long, List<Waiter>> level : List.of(primaryLevel, isrLevel)) {
            level.computeIfPresent(
                    index,
                    (i, all) -> new ArrayList<>(all.stream()
                            .map(w -> new Waiter(w.level(), w.duplicate(), w.epoch(), reason, w.callback()))
                            .toList()));
        }
    }

    /** Whoever waits for what the log has at this index, which it will not have any more, is told at once. */
    void refuseNow(long index, String reason, long epoch) {
        List<Waiter> told = isrLevel.remove(index);
        for (Waiter waiter : told == null ? List.<Waiter>of() : told) {
            waiters--;
            waiter.callback().failed(new ActorFailure(actor, ErrorCode.UPDATE_REFUSED, Waiter.text(reason), epoch));
        }
    }

    /** The update will not be logged. */
    void refuse(Update update, ErrorCode code, String message, long epoch) {
        unlogged.remove(update.order);
        forget(update);
        waiters -= update.waiting.size();
        update.waiting.forEach(waiter -> waiter.callback().failed(new ActorFailure(actor, code, message, epoch)));
    }

    private void forget(Update update) {
        byRequest.remove(update.request);
        bytes -= update.bytes;
    }

    /**
     * Moves on.
     *
     * @param applied entries up to here are durable and applied
     * @param primary of them these may be acknowledged at level PRIMARY
     * @param stable and these, which are stable with nothing unfenced, at level ISR
     */
    void progress(long applied, long primary, long stable) {
        while (!byIndex.isEmpty() && byIndex.firstKey() <= applied) {
            forget(byIndex.pollFirstEntry().getValue());
        }
        ack(primaryLevel, primary);
        ack(isrLevel, stable);
    }

    private void ack(TreeMap<Long, List<Waiter>> level, long through) {
        while (!level.isEmpty() && level.firstKey() <= through) {
            Map.Entry<Long, List<Waiter>> first = level.pollFirstEntry();
            for (Waiter waiter : first.getValue()) {
                waiters--;
                waiter.answer(actor, first.getKey());
            }
        }
    }

    /** Entries from this index on are gone from the log. */
    void failFrom(long index, ErrorCode code, String message, long epoch) {
        while (!byIndex.isEmpty() && byIndex.lastKey() >= index) {
            forget(byIndex.pollLastEntry().getValue());
        }
        for (TreeMap<Long, List<Waiter>> level : List.of(primaryLevel, isrLevel)) {
            while (!level.isEmpty() && level.lastKey() >= index) {
                for (Waiter waiter : level.pollLastEntry().getValue()) {
                    waiters--;
                    waiter.callback().failed(new ActorFailure(actor, code, message, epoch));
                }
            }
        }
    }

    /** Nothing more will be acknowledged here. */
    void failAll(ErrorCode code, String message, long epoch) {
        failFrom(0, code, message, epoch);
        while (!unlogged.isEmpty()) {
            refuse(unlogged.firstEntry().getValue(), code, message, epoch);
        }
    }
}
