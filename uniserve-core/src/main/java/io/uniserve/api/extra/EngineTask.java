package io.uniserve.api.extra;

/**
 * Something asked of, or done to, what an engine has open.
 *
 * @param <O> what is open
 * @param <T> the answer
 */
@FunctionalInterface
public interface EngineTask<O, T> {
    /** Whatever it throws is the engine's, see {@link EngineFailures}. */
    T run(O open) throws Exception;
}
