package io.uniserve.model;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Description of a port that a server advertises.
 *
 * @param name the port's name, as used by tables
 * @param version the port's own version
 * @param levels consistency levels that the engine supports
 * @param operators registered operators, {@code name@version}
 * @param updates registered update functions, {@code name@version}
 * @param wholeQueryOperator the operator, one of these, that answers a whole query in the engine's language on one actor
 * @param replicasDiffer true if replicas of one actor may answer some queries differently, as with scores of their own; a client then sends
 *     all requests to the same replicas
 * @param textKeys true if the engine treats a row's key as a text; a client then sends a number as its decimal text
 */
public record PortInfo(
        String name,
        String version,
        Set<ConsistencyLevel> levels,
        List<String> operators,
        List<String> updates,
        Optional<String> wholeQueryOperator,
        boolean replicasDiffer,
        boolean textKeys) {
    public PortInfo {
        levels = Set.copyOf(levels);
        operators = List.copyOf(operators);
        updates = List.copyOf(updates);
    }

    /** Port with equal answers of all replicas, and keys that may be numbers. */
    public PortInfo(
            String name,
            String version,
            Set<ConsistencyLevel> levels,
            List<String> operators,
            List<String> updates,
            Optional<String> whole) {
        this(name, version, levels, operators, updates, whole, false, false);
    }

    /** Port without an operator for whole queries. */
    public PortInfo(
            String name, String version, Set<ConsistencyLevel> levels, List<String> operators, List<String> updates) {
        this(name, version, levels, operators, updates, Optional.empty());
    }
}
