package io.uniserve.model;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.List;

/** Mapping from partition keys to actors. It is part of a table's definition, so rows never move between actors. */
public sealed interface Partitioner {
    /** Number of actors, at least 1, fixed at creation. */
    int actors();

    /** The actor of this key, 0 to actors - 1. It fails with INVALID_ROW for a key of an unsupported type. */
    int actorOf(PartitionKey key);

    /** Hash partitioning: floorMod(murmur3_32(key bytes), actors). Every key has an actor, negative numbers too. */
    record Hash(int actors) implements Partitioner {
        public Hash {
            checkActors(actors);
        }

        @Override
        public int actorOf(PartitionKey key) {
            return Math.floorMod(Murmur3.hash32(key.bytes()), actors);
        }
    }

    /** Range partitioning of numbers. Actor i has the keys bounds[i-1] <= key < bounds[i], so there is one more actor than bounds. */
    record Range(List<Long> bounds) implements Partitioner {
        public Range {
            bounds = List.copyOf(bounds);
            checkActors(bounds.size() + 1);
            for (int i = 1; i < bounds.size(); i++) {
                if (bounds.get(i) <= bounds.get(i - 1)) {
                    throw UniserveException.invalid(
                            "range bounds must ascend: " + bounds.get(i) + " follows " + bounds.get(i - 1));
                }
            }
        }

        @Override
        public int actors() {
            return bounds.size() + 1;
        }

        @Override
        public int actorOf(PartitionKey key) {
            if (!(key instanceof PartitionKey.Number number)) {
                throw new UniserveException(ErrorCode.INVALID_ROW, "a range table's key must be a whole number");
            }
            int low = 0;
            int high = bounds.size();
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (number.value() >= bounds.get(middle)) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }
    }

    private static void checkActors(int actors) {
        if (actors < 1 || actors > Limits.ACTORS_PER_TABLE_MAX) {
            throw UniserveException.invalid("actors is " + actors + ": use 1 to " + Limits.ACTORS_PER_TABLE_MAX);
        }
    }
}
