package io.uniserve.protocol;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Number of state machines per state, for metrics. Immutable.
 *
 * @param counts every state with its number of machines, in the order of the enum
 * @param <S> states of one kind of machine
 */
public record StateCounts<S extends Enum<S>>(Map<S, Integer> counts) {
    public StateCounts {
        counts = Collections.unmodifiableMap(new EnumMap<>(counts));
    }

    /** Counts these states. */
    public static <S extends Enum<S>> StateCounts<S> of(Class<S> type, Iterable<S> states) {
        EnumMap<S, Integer> counts = new EnumMap<>(type);
        for (S state : type.getEnumConstants()) {
            counts.put(state, 0);
        }
        states.forEach(state -> counts.merge(state, 1, Integer::sum));
        return new StateCounts<>(counts);
    }

    /** Number of machines in this state. */
    public int count(S state) {
        return counts.getOrDefault(state, 0);
    }
}
