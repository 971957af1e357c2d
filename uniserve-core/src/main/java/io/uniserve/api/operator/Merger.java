package io.uniserve.api.operator;

import java.util.List;
import java.util.OptionalLong;

/**
 * Associative and commutative merge of partial values. Servers run it before they reply. It must not modify its arguments: if the
 * merged value is too large, the server sends the originals. Break ties by something that does not depend on the actor of a row.
 *
 * <pre>{@code
 * Merger<Top, List<Hit>> best = (top, left, right) -> Hit.best(top.limit(), left, right);
 * }</pre>
 */
@FunctionalInterface
public interface Merger<P, V> {
    /** Merges two values of a request with these parameters. */
    V merge(P parameters, V left, V right);

    /**
     * Merges several values of a server's actors. The default merges them two at a time; override it if one merge of all costs less. The
     * result must be the same.
     *
     * <p>In most cases these are the values of all actors. If values are large, the host merges the first of them early, and the result
     * later with others.
     *
     * @param values at least one; an early result comes first
     */
    default V mergeAll(P parameters, List<V> values) {
        V merged = values.get(0);
        for (V value : values.subList(1, values.size())) {
            merged = merge(parameters, merged, value);
        }
        return merged;
    }

    /**
     * Estimates the memory of a value that waits for those of other actors, in bytes, which is at least its encoded size. The host limits
     * the memory of such values by it. Without an estimate the host encodes each value to measure it, which costs as much as sending it. It
     * measures values of a large estimate too.
     */
    default OptionalLong estimateBytes(V value) {
        return OptionalLong.empty();
    }
}
