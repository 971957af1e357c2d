package io.uniserve.protocol.identity;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The registry of one cluster identity. After a session has expired nothing is read or written before the registry has shown the
 * same identity again, and no answer of an earlier session comes through; every write checks the identity's node, so that it
 * fails in another cluster's registry whenever it gets there. A registry with another identity, or without it, is refused for
 * good. Not thread-safe; completions and events come on the loop.
 */
public final class IdentifiedRegistry implements Registry {
    private final Registry registry;
    private final Timers timers;
    private final long retryNanos;
    private final String self;
    private final String cluster;
    private final Listener listener;
    private final OutageCheck outage;
    private final List<SessionListener> sessions = new ArrayList<>();
    private @Nullable String identity;
    private @Nullable UniserveException refusal;
    private Runnable whenOpen = () -> {};
    private boolean open;
    private boolean connected;
    private boolean announce;
    private boolean watched;
    private long session;
    private long check;

    /** Hears of the identity. */
    public interface Listener {
        /** The registry has shown this identity, for the first time or again. */
        void identified(String identity);

        /** The registry has another identity, or none any more: it is not used from now on. */
        void refused(UniserveException why);
    }

    /**
     * @param self the process, for errors
     * @param retryNanos pause before a failed look at the identity is repeated
     */
    public IdentifiedRegistry(
            Registry registry, Timers timers, long retryNanos, String self, String cluster, Listener listener) {
        this.registry = registry;
        this.timers = timers;
        this.retryNanos = retryNanos;
        this.self = self;
        this.cluster = cluster;
        this.listener = listener;
        this.outage = new OutageCheck(registry, timers, this::judge);
    }

    /** Begins with a known identity; the task runs once the registry has shown it. Until then nothing is read or written. */
    public void begin(String known, Runnable then) {
        identity = known;
        whenOpen = then;
        registry.onSession(this::onSession);
        look();
    }

    /** Begins without one, open for everything: the first identity that the registry shows is kept. */
    public void begin() {
        open = true;
        registry.onSession(this::onSession);
        look();
    }

    /** Looks over new connections no more. */
    public void stop() {
        outage.end();
    }

    /** The registry has shown this identity to a caller of its own. */
    public void learn(String found) {
        String known = identity;
        if (known == null) {
            identity = found;
            listener.identified(found);
        } else if (!known.equals(found)) {
            refuse(List.of(found));
        }
    }

    /** Why the registry is not used any more; null while it is. */
    public @Nullable UniserveException refusal() {
        return refusal;
    }

    /** The session has no connection, and a new connection has met another identity or none; empty where that is not so. */
    public Optional<UniserveException> met() {
        return outage.met();
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        if (admits(completion)) {
            registry.read(path, scoped(ErrorCode.UNAVAILABLE, completion));
        }
    }

    @Override
    public void children(String path, Completion<List<String>> completion) {
        if (admits(completion)) {
            registry.children(path, scoped(ErrorCode.UNAVAILABLE, completion));
        }
    }

    @Override
    public void sync(Completion<Done> completion) {
        if (admits(completion)) {
            registry.sync(scoped(ErrorCode.UNAVAILABLE, completion));
        }
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        if (!admits(completion)) {
            return;
        }
        String known = identity;
        if (known == null) {
            registry.multi(ops, completion);
            return;
        }
        if (ops.stream().allMatch(op -> op instanceof Op.Check)) { // writes nothing
            registry.multi(ops, scoped(ErrorCode.OUTCOME_UNKNOWN, completion));
            return;
        }
        List<Op> guarded = new ArrayList<>(ops.size() + 1);
        guarded.addAll(ops);
        guarded.add(new Op.Check(RegistryPaths.identity(known), 0));
        registry.multi(
                guarded, scoped(ErrorCode.OUTCOME_UNKNOWN, outcome -> completion.done(unguarded(outcome, ops.size()))));
    }

    private Outcome<MultiResult> unguarded(Outcome<MultiResult> outcome, int ops) {
        if (!(outcome instanceof Outcome.Ok<MultiResult> ok)) {
            return outcome;
        }
        MultiResult result = ok.value();
        if (result.applied()) {
            return Outcome.ok(new MultiResult(true, result.versions().subList(0, ops), result.conflict()));
        }
        if (result.conflict() < ops) {
            return outcome;
        }
        look();
        return Outcome.err(new UniserveException(
                ErrorCode.UNAVAILABLE, "nothing was written: " + describe() + " does not have the cluster's identity"));
    }

    @Override
    public void watch(String path, Runnable changed) {
        registry.watch(path, changed);
    }

    @Override
    public void unwatch(String path) {
        registry.unwatch(path);
    }

    @Override
    public void onSession(SessionListener added) {
        sessions.add(added);
        if (connected && !announce && refusal == null) {
            timers.post(() -> added.on(SessionEvent.CONNECTED));
        }
    }

    @Override
    public String describe() {
        return registry.describe();
    }

    private void onSession(SessionEvent event) {
        if (refusal != null) {
            return;
        }
        connected = event == SessionEvent.CONNECTED;
        if (connected) {
            outage.back();
        } else {
            outage.lost();
        }
        if (event == SessionEvent.EXPIRED) {
            session++;
            watched = false;
            open = identity == null;
        } else if (connected) {
            announce = !open;
            look();
        }
        if (!announce || !connected) {
            tell(event);
        }
    }

    private void tell(SessionEvent event) {
        List.copyOf(sessions).forEach(one -> one.on(event));
    }

    /** Looks at the identity, repeated until the registry answers. A later look takes the place of one under way. */
    private void look() {
        if (!watched) {
            watched = true;
            registry.watch(RegistryPaths.IDENTITY, this::look);
        }
        long mine = ++check;
        registry.sync(synced -> {
            if (mine == check && synced instanceof Outcome.Ok<Done>) {
                registry.children(RegistryPaths.IDENTITY, found -> {
                    if (mine == check && found instanceof Outcome.Ok<List<String>> ok) {
                        decide(ok.value());
                    } else {
                        lookLater(mine);
                    }
                });
            } else {
                lookLater(mine);
            }
        });
    }

    private void lookLater(long mine) {
        if (mine == check && refusal == null) {
            timers.after(retryNanos, () -> {
                if (mine == check && refusal == null) {
                    look();
                }
            });
        }
    }

    /** The registry of this identity, or why it is not. */
    private Optional<UniserveException> judge(List<String> found) {
        String known = identity;
        return known == null || found.equals(List.of(known))
                ? Optional.empty()
                : Optional.of(ClusterIdentities.foreign(self, cluster, known, registry.describe(), found));
    }

    private void decide(List<String> found) {
        String known = identity;
        if (refusal != null) {
            return;
        }
        if (known == null) {
            if (found.size() == 1) {
                learn(found.get(0));
            }
            return;
        }
        if (!found.equals(List.of(known))) {
            refuse(found);
            return;
        }
        if (open) {
            return;
        }
        open = true;
        listener.identified(known);
        Runnable then = whenOpen;
        whenOpen = () -> {};
        then.run();
        if (announce) {
            announce = false;
            tell(SessionEvent.CONNECTED);
        }
    }

    private void refuse(List<String> found) {
        UniserveException why =
                ClusterIdentities.foreign(self, cluster, String.valueOf(identity), registry.describe(), found);
        refusal = why;
        open = false;
        session++;
        outage.end();
        listener.refused(why);
    }

    private <T> boolean admits(Completion<T> completion) {
        if (open) {
            return true;
        }
        timers.post(() -> completion.done(Outcome.err(unavailable())));
        return false;
    }

    private UniserveException unavailable() {
        UniserveException why = refusal;
        return why != null
                ? new UniserveException(ErrorCode.UNAVAILABLE, why.reason(), why)
                : new UniserveException(
                        ErrorCode.UNAVAILABLE,
                        registry.describe() + " has not shown the cluster's identity in this session yet: try again");
    }

    /** Keeps answers of an earlier session away. */
    private <T> Completion<T> scoped(ErrorCode code, Completion<T> completion) {
        long mine = session;
        return outcome -> {
            if (mine == session || identity == null) {
                completion.done(outcome);
            } else {
                completion.done(Outcome.err(new UniserveException(code, "the registry session has ended meanwhile")));
            }
        };
    }
}
