package io.uniserve.model;

import java.util.List;
import java.util.Set;

/**
 * A port as a server advertises it.
 *
 * @param name the port's name, as tables give it
 * @param version the port's own version
 * @param levels consistency levels the engine supports
 * @param operators registered operators, {@code name@version}
 * @param updates registered update functions, {@code name@version}
 */
public record PortInfo(
        String name, String version, Set<ConsistencyLevel> levels, List<String> operators, List<String> updates) {
    public PortInfo {
        levels = Set.copyOf(levels);
        operators = List.copyOf(operators);
        updates = List.copyOf(updates);
    }
}
