package io.uniserve.api.extra;

/**
 * Function on an open resource of an engine, such as a connection or a searcher, that may throw any exception.
 *
 * <pre>{@code
 * <T> T with(String what, EngineTask<Connection, T> task) {
 *     return SQL.call(what, () -> task.run(connection));
 * }
 * }</pre>
 *
 * @param <O> the resource
 * @param <T> the result
 */
@FunctionalInterface
public interface EngineTask<O, T> {
    /** Runs the function. {@link io.uniserve.api.EngineErrorMapper} translates its exceptions. */
    T run(O open) throws Exception;
}
