package io.uniserve.api;

import io.uniserve.api.plan.Planner;
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

    /** Checks a table's definition (options, level, key field); throws INVALID_ARGUMENT naming option and remedy. Starts nothing. */
    void validate(TableMeta meta);

    /** Starts the engine in this process; called at most once per process. */
    EngineInstance open(EngineContext context);

    /** The planner of the engine's own query language, if it has one. */
    default Optional<Planner> planner() {
        return Optional.empty();
    }
}
