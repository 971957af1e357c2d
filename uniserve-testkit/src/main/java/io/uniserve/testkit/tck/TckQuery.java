package io.uniserve.testkit.tck;

import io.uniserve.api.operator.Merger;

/**
 * Query of the port.
 *
 * @param operator {@code name@version}
 * @param merger merges partial values; the operator's own merger, or a replacement if it has none
 * @param mergesExactly true if the merged value over any split of the rows equals the value over all rows in one actor
 */
public record TckQuery<P, V>(String operator, P parameters, Merger<P, V> merger, boolean mergesExactly) {}
