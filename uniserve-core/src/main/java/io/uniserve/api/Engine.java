package io.uniserve.api;

import io.uniserve.api.plan.Planner;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import java.util.List;
import java.util.Optional;

/**
 * Entry point of a port: describes the engine, checks table definitions, and starts engine instances.
 *
 * <p>The host finds it by {@link java.util.ServiceLoader} in the port's folder of jars, so the class is public and has a public
 * constructor without arguments. The host calls {@link #info}, {@link #validate}, {@link #validateChange} and {@link #planner} at any
 * time: also before {@link #open}, and in processes that never open the engine.
 *
 * <p>Thread-safety: all methods must be safe for use by several threads.
 *
 * <p>Errors: throw {@link UniserveException}; the caller receives its code and message. The host reports any other exception as
 * PORT_FAILED and logs its stack trace.
 *
 * <pre>{@code
 * public final class H2Engine implements Engine {
 *     private static final EngineFunctions FUNCTIONS = new EngineFunctions(H2Operators.ALL, List.of(PUT, DELETE));
 *
 *     public PortInfo info() {
 *         return FUNCTIONS.info("h2", "1", Set.of(ConsistencyLevel.EVENTUAL));
 *     }
 *
 *     public void validate(TableMeta meta) {
 *         if (!meta.options().isEmpty()) {
 *             throw UniserveException.invalid("port h2 has no table options; remove " + meta.options().keySet());
 *         }
 *     }
 *
 *     public EngineInstance open(EngineContext context) {
 *         OpenActors<H2Actor> actors = new OpenActors<>(new H2Actors(), H2Actor::isClosed);
 *         return FUNCTIONS.instance(actors, actors::close);
 *     }
 *
 *     public Optional<Planner> planner() {
 *         return Optional.of(new H2Planner());
 *     }
 * }
 * }</pre>
 */
public interface Engine {
    /** Describes the port: name, version, consistency levels, operators and update functions. Must not start anything. */
    PortInfo info();

    /**
     * Checks the definition of a new table: options, key field, partitioner. Must not start anything. The host has already checked the
     * consistency level against {@link #info}.
     *
     * @throws UniserveException INVALID_ARGUMENT with the option's name, its value, and what to do
     */
    void validate(TableMeta meta);

    /**
     * Checks changed options of an existing table. The host calls it for the table's definition and again for each actor, with that
     * actor's current options. See {@link io.uniserve.api.extra.MutableOptions}.
     *
     * @throws UniserveException UNSUPPORTED by default; INVALID_ARGUMENT for options that must not change in this way
     */
    default void validateChange(TableMeta before, TableMeta now) {
        throw UniserveException.unsupported("port " + now.port()
                + " does not change the options of a table that exists;" + " create another table and load it");
    }

    /**
     * Starts the engine for one server. A process may run several servers, as in tests, and calls this method once per server. Each
     * instance uses only its own scratch directory. Closing one instance must not affect the others.
     */
    EngineInstance open(EngineContext context);

    /**
     * Lists the engine's own settings by which the port keeps queries, options and rows from files, connections, extensions and code. The
     * port sets them in {@link #open}, and no query can change them. Empty if the engine has no such settings. Must not start anything.
     */
    default List<EngineSwitch> switches() {
        return List.of();
    }

    /** Returns the planner for the engine's own query language; empty if the port has none. */
    default Optional<Planner> planner() {
        return Optional.empty();
    }
}
