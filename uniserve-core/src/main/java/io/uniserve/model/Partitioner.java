package io.uniserve.model;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import java.util.List;
import java.util.Optional;

/** Mapping from partition keys to actors. It is part of a table's definition, so rows never move between actors. */
public sealed interface Partitioner {
    /** Number of actors, at least 1 and fixed. 0 for {@link Time}: the table's map has its actors, which change. */
    int actors();

    /**
     * The actor of this key, 0 to actors - 1.
     *
     * @throws UniserveException INVALID_ROW for a key of an unsupported type; UNSUPPORTED for {@link Time}, which also needs the row's time
     */
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

    /**
     * Partitioning by time, then by key. Time is divided into chunks, and each chunk into buckets of keys. An actor's number is a pure function
     * of time and key: ordinal of the chunk, times the number of buckets, plus floorMod(murmur3_32(key bytes), buckets). A chunk has actors
     * from its first row until it expires.
     *
     * <pre>{@code
     * new Partitioner.Time("ts", new ChunkCalendar(IsoPeriod.parse("chunk", "P1D"), ZoneOffset.UTC), 2,
     *         Optional.of(IsoPeriod.parse("retention", "P90D")), IsoPeriod.parse("ahead", "P1D"));
     * }</pre>
     *
     * @param column name of the time column
     * @param chunks division of time
     * @param buckets actors per chunk, at least 1
     * @param retention time after the end of a chunk at which the chunk expires; empty to keep all chunks
     * @param ahead maximum distance of a row's time in the future
     */
    record Time(String column, ChunkCalendar chunks, int buckets, Optional<IsoPeriod> retention, IsoPeriod ahead)
            implements Partitioner {
        public Time {
            if (column.isBlank() || column.length() > Limits.NAME_LENGTH_MAX) {
                throw UniserveException.invalid(
                        "time column is empty or too long: use 1 to " + Limits.NAME_LENGTH_MAX + " characters");
            }
            if (buckets < 1 || buckets > Limits.TIME_BUCKETS_MAX) {
                throw UniserveException.invalid("buckets is " + buckets + ": use 1 to " + Limits.TIME_BUCKETS_MAX);
            }
            long most = Integer.MAX_VALUE / chunks.chunks();
            if (buckets > most) {
                throw UniserveException.invalid(
                        "chunk " + chunks.period() + " with " + buckets + " buckets gives more than "
                                + Integer.MAX_VALUE + " actor numbers in the years 0 to 9999: use at most " + most
                                + " buckets, or a longer chunk");
            }
        }

        @Override
        public int actors() {
            return 0;
        }

        @Override
        public int actorOf(PartitionKey key) {
            throw UniserveException.unsupported(
                    "an actor by key alone in a table partitioned by time: time and key select its actors;"
                            + " give the time too");
        }

        /**
         * The actor of a row of this time, in milliseconds since 1970, and key.
         *
         * @throws UniserveException INVALID_ROW for a time before year 0 or after year 9999
         */
        public int actorOf(long time, PartitionKey key) {
            return chunks.ordinalOf(time) * buckets + bucketOf(key);
        }

        /** Bucket of a key, 0 to buckets - 1, in every chunk. */
        public int bucketOf(PartitionKey key) {
            return Math.floorMod(Murmur3.hash32(key.bytes()), buckets);
        }

        /** Returns whether the chunk of an actor overlaps the times from {@code from}, inclusive, to {@code to}, exclusive. */
        public boolean overlaps(int actor, long from, long to) {
            int ordinal = ordinalOf(actor);
            return from < to && chunks.start(ordinal) < to && chunks.end(ordinal) > from;
        }

        /** Ordinal of the chunk that an actor belongs to. */
        public int ordinalOf(int actor) {
            return actor / buckets;
        }

        /** Number of the first actor of a chunk. The others follow. */
        public int firstActor(int ordinal) {
            return ordinal * buckets;
        }

        /** Returns whether a chunk is expired at this time: its end plus the retention has passed. */
        public boolean isExpired(int ordinal, long now) {
            return retention.isPresent() && retention.get().addTo(chunks.end(ordinal), chunks.zone()) <= now;
        }

        /**
         * Returns an ordinal before which all chunks of these actors are expired: the highest one. Daylight saving may move a chunk's expiry
         * behind that of the next chunk. A chunk is dropped only after all earlier ones have expired.
         *
         * @param actors numbers of actors, ascending
         * @param watermark minimum of the result: chunks before it are dropped already
         */
        public int expiredBefore(List<Integer> actors, int watermark, long now) {
            int before = watermark;
            for (int actor : actors) {
                int ordinal = ordinalOf(actor);
                if (ordinal >= before && !isExpired(ordinal, now)) {
                    break;
                }
                before = Math.max(before, ordinal + 1);
            }
            return before;
        }

        /** Time at which a chunk expires; empty if the table keeps all chunks. */
        public Optional<Long> expiryOf(int ordinal) {
            return retention.map(kept -> kept.addTo(chunks.end(ordinal), chunks.zone()));
        }

        /**
         * Rejects the time of a row that is later than the table permits.
         *
         * @param now the caller's time
         * @throws UniserveException INVALID_ROW that names the time and the remedy
         */
        public void checkAhead(long time, long now) {
            if (time > now && time > ahead.addTo(now, chunks.zone())) {
                throw new UniserveException(
                        ErrorCode.INVALID_ROW,
                        "time " + chunks.text(time) + " in column \"" + column + "\" is more than " + ahead
                                + " in the future: correct the row, or create a table with a longer --ahead");
            }
        }

        /** The error for rows of an expired chunk. */
        public UniserveException expired(int ordinal) {
            return new UniserveException(
                    ErrorCode.CHUNK_EXPIRED,
                    "chunk " + chunks.startText(ordinal) + " of " + chunks.period()
                            + " is expired: the table's retention is "
                            + retention.map(IsoPeriod::toString).orElse("unlimited")
                            + "; drop the row, or write it to a table with a longer retention");
        }
    }

    private static void checkActors(int actors) {
        if (actors < 1 || actors > Limits.ACTORS_PER_TABLE_MAX) {
            throw UniserveException.invalid("actors is " + actors + ": use 1 to " + Limits.ACTORS_PER_TABLE_MAX);
        }
    }
}
