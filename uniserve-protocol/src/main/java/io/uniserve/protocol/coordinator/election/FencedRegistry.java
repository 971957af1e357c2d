package io.uniserve.protocol.coordinator.election;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registry access of one leader's term. Every write has a check of the term, so a deposed coordinator changes nothing (invariant I13).
 * After the end of the term no completion runs.
 */
public final class FencedRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(FencedRegistry.class);

    private final CoordinatorEnvironment env;
    private final int term;
    private final long retryNanos;
    private final Runnable onDeposed;
    private boolean ended;

    public FencedRegistry(CoordinatorEnvironment env, int term, long retryNanos, Runnable deposed) {
        this.env = env;
        this.term = term;
        this.retryNanos = retryNanos;
        this.onDeposed = deposed;
    }

    public int term() {
        return term;
    }

    public void end() {
        ended = true;
    }

    boolean isEnded() {
        return ended;
    }

    /**
     * Applies all operations if the term is still current. An unknown outcome is reported after a sync, so that the caller can read the
     * result.
     */
    public void write(List<Op> ops, Consumer<WriteResult> then) {
        if (ended) {
            return;
        }
        List<Op> guarded = new ArrayList<>(ops.size() + 1);
        guarded.add(new Op.Check(RegistryPaths.TERM, term));
        guarded.addAll(ops);
        env.registry().multi(guarded, scoped(outcome -> {
            if (outcome instanceof Outcome.Ok<MultiResult> ok) {
                finish(ok.value(), then);
            } else if (outcome instanceof Outcome.Err<MultiResult> err
                    && err.error().code() == ErrorCode.UNAVAILABLE) {
                then.accept(new WriteResult(Kind.NOT_APPLIED, List.of(), null, -1));
            } else if (outcome instanceof Outcome.Err<MultiResult> err
                    && !err.error().code().retriable()) {
                LOG.warn("registry: write rejected: {}", err.error().getMessage());
                then.accept(new WriteResult(Kind.INVALID, List.of(), err.error(), -1));
            } else {
                afterSync(() -> then.accept(new WriteResult(Kind.UNKNOWN, List.of(), null, -1)));
            }
        }));
    }

    private void finish(MultiResult result, Consumer<WriteResult> then) {
        if (result.applied()) {
            List<Integer> versions = result.versions();
            then.accept(new WriteResult(Kind.APPLIED, versions.subList(1, versions.size()), null, -1));
        } else if (result.conflict() == 0) {
            onDeposed.run();
        } else {
            afterSync(() -> then.accept(new WriteResult(Kind.CONFLICT, List.of(), null, result.conflict() - 1)));
        }
    }

    public void read(String path, Completion<Versioned> completion) {
        if (!ended) {
            env.registry().read(path, scoped(completion));
        }
    }

    public void children(String path, Completion<List<String>> completion) {
        if (!ended) {
            env.registry().children(path, scoped(completion));
        }
    }

    public void watch(String path, Runnable changed) {
        if (!ended) {
            env.registry().watch(path, scoped(changed));
        }
    }

    /** Runs the task after a successful sync, which is retried until then. */
    public void afterSync(Runnable then) {
        if (!ended) {
            env.registry().sync(this.<Done>scoped(outcome -> {
                if (outcome instanceof Outcome.Ok) {
                    then.run();
                } else {
                    after(retryNanos, () -> afterSync(then));
                }
            }));
        }
    }

    public void after(long delayNanos, Runnable task) {
        if (!ended) {
            env.timers().after(delayNanos, scoped(task));
        }
    }

    /** Runs the task after the pause before a retry. */
    public void retry(Runnable task) {
        after(retryNanos, task);
    }

    public <T> Completion<T> scoped(Completion<T> completion) {
        return outcome -> {
            if (!ended) {
                completion.done(outcome);
            }
        };
    }

    private Runnable scoped(Runnable task) {
        return () -> {
            if (!ended) {
                task.run();
            }
        };
    }

    /** Result of a write. */
    enum Kind {
        APPLIED,
        /** Not applied: a node differs from the expected version. Later reads are up to date. */
        CONFLICT,
        /** Certainly not applied: the registry could not be reached. */
        NOT_APPLIED,
        /** Certainly not applied, and a retry would fail too: the write itself is invalid, for example too large. */
        INVALID,
        /** Applied or not. Later reads are up to date. */
        UNKNOWN
    }

    /**
     * Result of a write: the new znode versions if it was applied, the error if it was rejected.
     *
     * @param conflict place of the operation whose node differs, if it is a conflict; else -1
     */
    public record WriteResult(
            Kind kind, List<Integer> versions, @Nullable UniserveException error, int conflict) {
        public boolean isApplied() {
            return kind == Kind.APPLIED;
        }
    }
}
