package io.uniserve.protocol.testing;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Session of one process on a {@link TestingStore}. Operations run in order, one microsecond later. */
public final class TestingRegistry implements Registry {
    private final TestingLoop loop;
    private final TestingStore store;
    private final TreeMap<String, List<Runnable>> watches = new TreeMap<>();
    private final List<SessionListener> listeners = new ArrayList<>();
    private Object session = new Object();
    private final AtomicLong order = new AtomicLong();
    private boolean cut;
    private boolean refused;
    private boolean deaf;
    private boolean parted;
    private int unknownDone;
    private int unknownNotDone;
    private Predicate<List<Op>> concerned = ops -> true;
    private Predicate<List<Op>> held = ops -> false;
    private Predicate<String> readsHeld = path -> false;
    private @Nullable TestingStore old;
    private final List<Runnable> waiting = new ArrayList<>();
    private final List<Unanswered> unanswered = new ArrayList<>();
    private final TreeMap<String, Integer> reads = new TreeMap<>();

    public TestingRegistry(TestingLoop loop, TestingStore store) {
        this.loop = loop;
        this.store = store;
        store.listen(path -> {
            if (!deaf && !parted) {
                watches.getOrDefault(path, List.of()).forEach(this::inOrder);
            }
        });
    }

    private void inOrder(Runnable task) {
        loop.inOrder(order, 1_000, task);
    }

    /** Stops or resumes the reports of changes. */
    public void deaf(boolean value) {
        deaf = value;
    }

    /** Executes the next write, and reports its outcome as unknown. */
    public void loseNextAnswer() {
        unknownDone++;
    }

    /** Drops the next write, and reports its outcome as unknown. */
    public void loseNextWrite() {
        unknownNotDone++;
    }

    /** Makes reads return the current contents until the next write or sync, as at a follower that lags. */
    public void lag() {
        old = store.copy();
    }

    /** Restricts the two methods above to these writes; initially they affect all. */
    public void onlyWrites(Predicate<List<Op>> which) {
        concerned = which;
    }

    /** Holds writes of this kind until {@link #release}. */
    public void hold(Predicate<List<Op>> which) {
        held = which;
    }

    /** Holds reads of these paths until {@link #release}. */
    public void holdReads(Predicate<String> which) {
        readsHeld = which;
    }

    /** Completes all held writes and reads, and holds no more. */
    public void release() {
        held = ops -> false;
        readsHeld = path -> false;
        List<Runnable> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(loop::soon);
    }

    /** Number of held writes and reads. */
    public int holding() {
        return waiting.size();
    }

    /** Number of reads of this path. */
    public int reads(String path) {
        return reads.getOrDefault(path, 0);
    }

    /** Makes every operation fail with UNAVAILABLE, or work again. */
    public void cut(boolean value) {
        cut = value;
    }

    /**
     * Breaks the connection, and rejects this session from now on, but not new ones, as ZooKeeper does if it has less than the client has
     * seen. Or ends that.
     */
    public void refuse(boolean value) {
        refused = value;
        cut = value;
        inOrder(() ->
                listeners.forEach(l -> l.onSessionEvent(value ? SessionEvent.SUSPENDED : SessionEvent.CONNECTED)));
        if (!value) {
            watches.values().forEach(tasks -> tasks.forEach(this::inOrder));
        }
    }

    /**
     * Separates the session's follower from its leader. It answers reads from its old state, nothing else, and reports no change. Or
     * connects to another follower; requests without an answer never get one.
     */
    public void part(boolean value) {
        parted = value;
        old = value ? store.copy() : null;
        if (!value) {
            List<Unanswered> lost = List.copyOf(unanswered);
            unanswered.clear();
            lost.forEach(one -> inOrder(one.lost()));
            inOrder(() -> listeners.forEach(l -> l.onSessionEvent(SessionEvent.SUSPENDED)));
            inOrder(() -> listeners.forEach(l -> l.onSessionEvent(SessionEvent.CONNECTED)));
            watches.values().forEach(tasks -> tasks.forEach(this::inOrder));
        }
    }

    /** Number of writes of this kind that a separated follower has not answered. */
    public long unanswered(Predicate<List<Op>> which) {
        return unanswered.stream().filter(one -> which.test(one.ops())).count();
    }

    /** Request to a separated follower. */
    private record Unanswered(List<Op> ops, Runnable lost) {}

    /** Expires the session; the process does not know it yet. */
    public void expireUnnoticed() {
        store.expire(session);
    }

    /** Expires the session. The process gets the event and a new session. */
    public void expire() {
        store.expire(session);
        session = new Object();
        watches.clear();
        loop.soon(() -> listeners.forEach(l -> l.onSessionEvent(SessionEvent.EXPIRED)));
        loop.soon(() -> listeners.forEach(l -> l.onSessionEvent(SessionEvent.CONNECTED)));
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        if (readsHeld.test(path)) {
            waiting.add(() -> read(path, completion));
            return;
        }
        reads.merge(path, 1, Integer::sum);
        inOrder(() -> completion.done(cut ? away() : Outcome.ok((old == null ? store : old).read(path))));
    }

    @Override
    public void children(String path, Completion<List<String>> completion) {
        if (readsHeld.test(path)) {
            waiting.add(() -> children(path, completion));
            return;
        }
        inOrder(() -> completion.done(cut ? away() : Outcome.ok(store.children(path))));
    }

    @Override
    public void childrenOverNewConnection(String path, Completion<List<String>> completion) {
        inOrder(() -> completion.done(cut && !refused ? away() : Outcome.ok(store.children(path))));
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        Object owner = session;
        if (held.test(ops)) {
            waiting.add(() -> multi(owner, ops, completion));
        } else {
            inOrder(() -> multi(owner, ops, completion));
        }
    }

    private void multi(Object owner, List<Op> ops, Completion<MultiResult> completion) {
        boolean mine = concerned.test(ops);
        if (parted) {
            unanswered.add(new Unanswered(ops, () -> completion.done(unknown())));
        } else if (cut) {
            completion.done(away());
        } else if (mine && unknownNotDone > 0) {
            unknownNotDone--;
            completion.done(unknown());
        } else {
            MultiResult result = store.multi(owner, ops);
            old = null; // a session sees its own writes, and all before
            Outcome<MultiResult> answer = mine && unknownDone > 0 ? unknown() : Outcome.ok(result);
            inOrder(() -> completion.done(answer)); // after the watch events of it, as in ZooKeeper
            unknownDone = mine ? Math.max(0, unknownDone - 1) : unknownDone;
        }
    }

    @Override
    public void sync(Completion<Done> completion) {
        inOrder(() -> {
            if (parted) {
                unanswered.add(new Unanswered(List.of(), () -> completion.done(away())));
                return;
            }
            old = cut ? old : null;
            completion.done(cut ? away() : Outcome.ok(Done.DONE));
        });
    }

    @Override
    public void watch(String path, Runnable changed) {
        watches.computeIfAbsent(path, unused -> new ArrayList<>()).add(changed);
    }

    @Override
    public void unwatch(String path) {
        watches.remove(path);
    }

    /** True while changes of the path are reported. */
    public boolean watches(String path) {
        return watches.containsKey(path);
    }

    @Override
    public void onSession(SessionListener listener) {
        listeners.add(listener);
    }

    private static <T> Outcome<T> away() {
        return Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, "the registry is cut off"));
    }

    private static <T> Outcome<T> unknown() {
        return Outcome.err(new UniserveException(ErrorCode.OUTCOME_UNKNOWN, "the answer was lost"));
    }
}
