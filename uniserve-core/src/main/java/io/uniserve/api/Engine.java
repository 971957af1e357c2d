package io.uniserve.api;

import io.uniserve.api.plan.Planner;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PortInfo;
import io.uniserve.model.TableMeta;
import java.util.Optional;

/**
 * A port's entry point, found by {@link java.util.ServiceLoader} in the port's own folder of jars. Public no-argument
 * constructor; safe for use by several threads.
 */
public interface Engine {
    /** Name, version, consistency levels, operators and update functions. Must not start anything. */
    PortInfo info();

    /**
     * Checks a table's definition (options, key field, partitioner); throws INVALID_ARGUMENT naming option and remedy. The
     * host has checked the level by {@link #info}. Starts nothing.
     */
    void validate(TableMeta meta);

    /**
     * Checks other options for a table that exists, in the same way; see {@link MutableOptions}. Called for the table's
     * definition, and for each actor with what it has.
     */
    default void validateChange(TableMeta before, TableMeta now) {
        throw UniserveException.unsupported("port " + now.port()
                + " does not change the options of a table that exists;" + " create another table and load it");
    }

    /**
     * Starts the engine for one server; called once for each server in the process, of which there may be several (tests,
     * development). Each instance keeps to its own scratch directory; closing one leaves the others alone. Before a server
     * opens, and in processes without one, {@link #info}, {@link #validate} and {@link #planner} are called alone.
     */
    EngineInstance open(EngineContext context);

    /** The planner of the engine's own query language, if it has one. */
    default Optional<Planner> planner() {
        return Optional.empty();
    }
}
