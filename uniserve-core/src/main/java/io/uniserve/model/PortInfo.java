package io.uniserve.model;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A port as a server advertises it.
 *
 * @param name the port's name, as tables give it
 * @param version the port's own version
 * @param levels consistency levels the engine supports
 * @param operators registered operators, {@code name@version}
 * @param updates registered update functions, {@code name@version}
 * @param whole the operator, one of these, that answers a whole query in the engine's language on one actor
 * @param copiesDiffer whether copies of one actor may answer some queries differently, as by scores of their own: a client asks the
 *     same copies then
 * @param textKeys whether a row's key is a text to the engine: a client sends a number as the text that it is written as
 */
public record PortInfo(
        String name,
        String version,
        Set<ConsistencyLevel> levels,
        List<String> operators,
        List<String> updates,
        Optional<String> whole,
        boolean copiesDiffer,
        boolean textKeys) {
    public PortInfo {
        levels = Set.copyOf(levels);
        operators = List.copyOf(operators);
        updates = List.copyOf(updates);
    }

    /** A port whose copies answer alike, with keys that may be numbers. */
    public PortInfo(
            String name,
            String version,
            Set<ConsistencyLevel> levels,
            List<String> operators,
            List<String> updates,
            Optional<String> whole) {
        this(name, version, levels, operators, updates, whole, false, false);
    }

    /** A port none of whose operators answers whole queries. */
    public PortInfo(
            String name, String version, Set<ConsistencyLevel> levels, List<String> operators, List<String> updates) {
        this(name, version, levels, operators, updates, Optional.empty());
    }
}
