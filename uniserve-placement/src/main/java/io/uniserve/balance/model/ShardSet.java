package io.uniserve.balance.model;

import io.uniserve.error.UniserveException;

/**
 * Actors that one popular query reads together.
 *
 * <p>The array is the caller's and must not change afterwards.
 *
 * @param frequency how often, in any unit; at least 0
 * @param actors different indexes of actors; may be empty
 */
@SuppressWarnings("ArrayRecordComponent") // by the ten thousand: read in tight loops, never compared
public record ShardSet(double frequency, int[] actors) {
    /** Refuses a frequency that is negative or no number. */
    public ShardSet {
        if (!(frequency >= 0) || Double.isInfinite(frequency)) {
            throw UniserveException.invalid(
                    "frequency of a shard set is " + frequency + ": use a number of at least 0");
        }
    }
}
