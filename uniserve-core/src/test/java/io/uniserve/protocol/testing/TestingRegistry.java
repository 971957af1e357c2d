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

/** One process's session on a {@link TestingStore}. Operations are done when their turn comes, one microsecond later. */
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

    /** Changes are not told, or again are. */
    public void deaf(boolean value) {
        deaf = value;
    }

    /** The next write is done, its caller told that the outcome is unknown. */
    public void loseNextAnswer() {
        unknownDone++;
    }

    /** The next write is not done, its caller told that the outcome is unknown. */
    public void loseNextWrite() {
        unknownNotDone++;
    }

    /** Reads see the contents as they are now, until the next write or sync: those of a follower that lags. */
    public void lag() {
        old = store.copy();
    }

    /** Which writes the next two concern; all of them at first. */
    public void onlyWrites(Predicate<List<Op>> which) {
        concerned = which;
    }

    /** Writes of this kind stay on their way until {@link #release}. */
    public void hold(Predicate<List<Op>> which) {
        held = which;
    }

    /** Reads of such paths, and of what is below them, stay on their way until {@link #release}. */
    public void holdReads(Predicate<String> which) {
        readsHeld = which;
    }

    /** Writes and reads on their way, and later ones, arrive. */
    public void release() {
        held = ops -> false;
        readsHeld = path -> false;
        List<Runnable> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(loop::soon);
    }

    /** How many writes and reads are on their way for as long as they are held. */
    public int holding() {
        return waiting.size();
    }

    /** How often this path was read. */
    public int reads(String path) {
        return reads.getOrDefault(path, 0);
    }

    /** From now on every operation fails with UNAVAILABLE, or again works. */
    public void cut(boolean value) {
        cut = value;
    }

    /**
     * The connection breaks, and the registry takes this process's session back no more, only new connections; as ZooKeeper does
     * where it has less than the client has seen. Or it takes it again.
     */
    public void refuse(boolean value) {
        refused = value;
        cut = value;
        inOrder(() -> listeners.forEach(l -> l.on(value ? SessionEvent.SUSPENDED : SessionEvent.CONNECTED)));
        if (!value) {
            watches.values().forEach(tasks -> tasks.forEach(this::inOrder));
        }
    }

    /**
     * The follower that has the session is cut off from its leader: it answers reads from what it knows, nothing else, and tells of
     * no change. Or the connection breaks and is made again to one that is not: what had no answer has none for good.
     */
    public void part(boolean value) {
        parted = value;
        old = value ? store.copy() : null;
        if (!value) {
            List<Unanswered> lost = List.copyOf(unanswered);
            unanswered.clear();
            lost.forEach(one -> inOrder(one.lost()));
            inOrder(() -> listeners.forEach(l -> l.on(SessionEvent.SUSPENDED)));
            inOrder(() -> listeners.forEach(l -> l.on(SessionEvent.CONNECTED)));
            watches.values().forEach(tasks -> tasks.forEach(this::inOrder));
        }
    }

    /** How many writes of this kind a parted follower has not answered. */
    public long unanswered(Predicate<List<Op>> which) {
        return unanswered.stream().filter(one -> which.test(one.ops())).count();
    }

    /** What a parted follower was asked. */
    private record Unanswered(List<Op> ops, Runnable lost) {}

    /** The ensemble ends the session; the process is not told yet. */
    public void expireUnnoticed() {
        store.expire(session);
    }

    /** The session ends, the process is told and gets a new one. */
    public void expire() {
        store.expire(session);
        session = new Object();
        watches.clear();
        loop.soon(() -> listeners.forEach(l -> l.on(SessionEvent.EXPIRED)));
        loop.soon(() -> listeners.forEach(l -> l.on(SessionEvent.CONNECTED)));
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
    public void childrenAnew(String path, Completion<List<String>> completion) {
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
            old = null; // a session sees what it wrote, and so all before
            Outcome<MultiResult> answer = mine && unknownDone > 0 ? unknown() : Outcome.ok(result);
            inOrder(() -> completion.done(answer)); // after what watches tell of it, as ZooKeeper does
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

    /** True while changes of the path are told. */
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
