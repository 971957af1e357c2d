package io.uniserve.testkit.tck;

import io.uniserve.api.operator.Merger;

/**
 * A query of the port.
 *
 * @param operator {@code name@version}
 * @param merger joins partial values where the operator has no merger of its own, or the operator's own
 * @param mergesExactly true when the merged value over any split of the rows equals the value over all rows in one actor
 */
public record Probe<P, V>(String operator, P parameters, Merger<P, V> merger, boolean mergesExactly) {}
