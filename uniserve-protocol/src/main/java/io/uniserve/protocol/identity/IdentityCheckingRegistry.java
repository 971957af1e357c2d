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
 * Registry that serves one cluster identity only. After an expired session it neither reads nor writes until the registry has the same
 * identity again, and it drops results of earlier sessions. Every write checks the identity's node, so a late write fails in another
 * cluster's registry. A registry with another identity, or without one, is rejected for good. Not thread-safe; completions and events run
 * on the event loop.
 */
public final class IdentityCheckingRegistry implements Registry {
    private final Registry registry;
    private final Timers timers;
    private final long retryNanos;
    private final String self;
    private final String cluster;
    private final Listener listener;
    private final RegistryIdentityProbe outage;
    private final List<SessionListener> sessions = new ArrayList<>();
    private @Nullable String identity;
    private @Nullable UniserveException refusal;
    private Runnable onOpen = () -> {};
    private boolean open;
    private boolean connected;
    private boolean announce;
    private boolean watched;
    private long session;
    private long check;

    /** Callback for the result of identity checks. */
    public interface Listener {
        /** The registry has this identity, for the first time or again. */
        void onIdentified(String identity);

        /** The registry has another identity, or none any more: it is not used from now on. */
        void onRefused(UniserveException why);
    }

    /**
     * @param self the process, for errors
     * @param retryNanos pause before a failed check of the identity is repeated
     */
    public IdentityCheckingRegistry(
            Registry registry, Timers timers, long retryNanos, String self, String cluster, Listener listener) {
        this.registry = registry;
        this.timers = timers;
        this.retryNanos = retryNanos;
        this.self = self;
        this.cluster = cluster;
        this.listener = listener;
        this.outage = new RegistryIdentityProbe(registry, timers, this::identityError);
    }

    /** Starts with a known identity. Until the registry has it, nothing is read or written; then the task runs. */
    public void start(String known, Runnable then) {
        identity = known;
        onOpen = then;
        registry.onSession(this::onSession);
        checkIdentity();
    }

    /** Starts without an identity, with all requests permitted. The first identity in the registry is kept. */
    public void start() {
        open = true;
        registry.onSession(this::onSession);
        checkIdentity();
    }

    /** Stops the checks over new connections. */
    public void stop() {
        outage.end();
    }

    /** Called by a user of the registry that has read this identity from it. */
    public void setIdentity(String found) {
        String known = identity;
        if (known == null) {
            identity = found;
            listener.onIdentified(found);
        } else if (!known.equals(found)) {
            refuse(List.of(found));
        }
    }

    /** The reason for which the registry is no longer used; null while it is used. */
    public @Nullable UniserveException refusal() {
        return refusal;
    }

    /** The error if the session has no connection and a new connection has found another identity or none; else empty. */
    public Optional<UniserveException> outageFinding() {
        return outage.finding();
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        if (failUnlessOpen(completion)) {
            registry.read(path, scoped(ErrorCode.UNAVAILABLE, completion));
        }
    }

    @Override
    public void children(String path, Completion<List<String>> completion) {
        if (failUnlessOpen(completion)) {
            registry.children(path, scoped(ErrorCode.UNAVAILABLE, completion));
        }
    }

    @Override
    public void sync(Completion<Done> completion) {
        if (failUnlessOpen(completion)) {
            registry.sync(scoped(ErrorCode.UNAVAILABLE, completion));
        }
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        if (!failUnlessOpen(completion)) {
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
        checkIdentity();
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
            timers.post(() -> added.onSessionEvent(SessionEvent.CONNECTED));
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
            outage.onReconnected();
        } else {
            outage.onDisconnected();
        }
        if (event == SessionEvent.EXPIRED) {
            session++;
            watched = false;
            open = identity == null;
        } else if (connected) {
            announce = !open;
            checkIdentity();
        }
        if (!announce || !connected) {
            notifyListeners(event);
        }
    }

    private void notifyListeners(SessionEvent event) {
        List.copyOf(sessions).forEach(one -> one.onSessionEvent(event));
    }

    /** Checks the identity, with retries until the registry replies. A later check replaces one that is under way. */
    private void checkIdentity() {
        if (!watched) {
            watched = true;
            registry.watch(RegistryPaths.IDENTITY, this::checkIdentity);
        }
        long mine = ++check;
        registry.sync(synced -> {
            if (mine == check && synced instanceof Outcome.Ok<Done>) {
                registry.children(RegistryPaths.IDENTITY, found -> {
                    if (mine == check && found instanceof Outcome.Ok<List<String>> ok) {
                        decide(ok.value());
                    } else {
                        checkLater(mine);
                    }
                });
            } else {
                checkLater(mine);
            }
        });
    }

    private void checkLater(long mine) {
        if (mine == check && refusal == null) {
            timers.after(retryNanos, () -> {
                if (mine == check && refusal == null) {
                    checkIdentity();
                }
            });
        }
    }

    /** The error if these identities are not the known one; else empty. */
    private Optional<UniserveException> identityError(List<String> found) {
        String known = identity;
        return known == null || found.equals(List.of(known))
                ? Optional.empty()
                : Optional.of(ClusterIdentities.foreignIdentityError(self, cluster, known, registry.describe(), found));
    }

    private void decide(List<String> found) {
        String known = identity;
        if (refusal != null) {
            return;
        }
        if (known == null) {
            if (found.size() == 1) {
                setIdentity(found.get(0));
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
        listener.onIdentified(known);
        Runnable then = onOpen;
        onOpen = () -> {};
        then.run();
        if (announce) {
            announce = false;
            notifyListeners(SessionEvent.CONNECTED);
        }
    }

    private void refuse(List<String> found) {
        UniserveException why = ClusterIdentities.foreignIdentityError(
                self, cluster, String.valueOf(identity), registry.describe(), found);
        refusal = why;
        open = false;
        session++;
        outage.end();
        listener.onRefused(why);
    }

    private <T> boolean failUnlessOpen(Completion<T> completion) {
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
                        registry.describe() + " has not confirmed the cluster's identity in this session: try again");
    }

    /** Drops results of an earlier session. */
    private <T> Completion<T> scoped(ErrorCode code, Completion<T> completion) {
        long mine = session;
        return outcome -> {
            if (mine == session || identity == null) {
                completion.done(outcome);
            } else {
                completion.done(Outcome.err(new UniserveException(code, "the registry session has ended")));
            }
        };
    }
}
