package io.uniserve.placement.model;

import io.uniserve.error.UniserveException;

/**
 * Set of actors that one popular query reads together.
 *
 * <p>The array is not copied and must not change afterwards.
 *
 * @param frequency frequency in any unit; at least 0
 * @param actors distinct indexes of actors; may be empty
 */
@SuppressWarnings("ArrayRecordComponent") // tens of thousands, read in tight loops, never compared
public record ShardSet(double frequency, int[] actors) {
    /** Rejects a frequency that is negative or not finite. */
    public ShardSet {
        if (!(frequency >= 0) || Double.isInfinite(frequency)) {
            throw UniserveException.invalid(
                    "frequency of a shard set is " + frequency + ": use a number of at least 0");
        }
    }
}
