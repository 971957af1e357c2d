package io.uniserve.api.operator;

/**
 * Associative and commutative merge of two partial values. Servers run it before they reply. It must not modify its arguments: if the
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
}
