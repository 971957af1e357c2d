package io.uniserve.server.read;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.gate.GatePublisher;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.gate.UncommittedClaim;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Table of the gates that the loop publishes; workers read it without locks. If a gate is behind, a worker may wait for the next one.
 * Publishing is cheap while there are no waiters.
 */
public final class GateTable implements GatePublisher {
    private final Map<ReplicaKey, ReadGate> gates = new ConcurrentHashMap<>();
    private final Map<Long, Long> versions = new ConcurrentHashMap<>();
    private final Map<Long, UncommittedClaim> uncommittedClaims = new ConcurrentHashMap<>();
    private final Map<ReplicaKey, Set<Waiter>> waiters = new ConcurrentHashMap<>();

    @Override
    public void publish(ReplicaKey key, ReadGate gate) {
        gates.put(key, gate);
        wakeWaiters(key);
    }

    @Override
    public void remove(ReplicaKey key) {
        gates.remove(key);
        wakeWaiters(key);
    }

    @Override
    public void publishVersion(long tableId, long version) {
        versions.merge(tableId, version, Math::max);
    }

    /** Newest committed version of the table that this server has seen, 0 for none. */
    long committedVersion(long tableId) {
        return versions.getOrDefault(tableId, 0L);
    }

    @Override
    public void publishClaim(long tableId, UncommittedClaim uncommittedClaim) {
        if (uncommittedClaim.equals(UncommittedClaim.NONE)) {
            uncommittedClaims.remove(tableId);
        } else {
            uncommittedClaims.put(tableId, uncommittedClaim);
        }
    }

    /** Version of the table that this server's transaction manager claims is not visible at this time, 0 for none. */
    long uncommittedVersion(long tableId, long nowNanos) {
        UncommittedClaim uncommittedClaim = uncommittedClaims.getOrDefault(tableId, UncommittedClaim.NONE);
        return uncommittedClaim.versionAt(committedVersion(tableId), nowNanos);
    }

    /** Newest gate of the replica, null if there is none. */
    @Nullable
    ReadGate get(ReplicaKey key) {
        return gates.get(key);
    }

    /** Runs the task once, on the loop or the calling thread, when the gate is another than the one that the caller saw. */
    Timers.Cancel onChange(ReplicaKey key, @Nullable ReadGate seen, Runnable task) {
        Waiter waiter = new Waiter(task);
        waiters.compute(key, (k, set) -> {
            Set<Waiter> all = set == null ? ConcurrentHashMap.newKeySet() : set;
            all.add(waiter);
            return all;
        });
        if (hasChanged(seen, gates.get(key))) {
            waiter.wake();
            removeWaiter(key, waiter);
        }
        return () -> {
            waiter.woken.set(true);
            removeWaiter(key, waiter);
        };
    }

    @SuppressWarnings("ReferenceEquality") // each publication is a new object
    private static boolean hasChanged(@Nullable ReadGate seen, @Nullable ReadGate now) {
        return seen != now;
    }

    private void removeWaiter(ReplicaKey key, Waiter waiter) {
        waiters.computeIfPresent(key, (k, set) -> {
            set.remove(waiter);
            return set.isEmpty() ? null : set;
        });
    }

    private void wakeWaiters(ReplicaKey key) {
        if (waiters.isEmpty()) {
            return;
        }
        Set<Waiter> all = waiters.remove(key);
        if (all != null) {
            all.forEach(Waiter::wake);
        }
    }

    private static final class Waiter {
        private final Runnable task;
        private final AtomicBoolean woken = new AtomicBoolean();

        private Waiter(Runnable task) {
            this.task = task;
        }

        private void wake() {
            if (woken.compareAndSet(false, true)) {
                task.run();
            }
        }
    }
}
