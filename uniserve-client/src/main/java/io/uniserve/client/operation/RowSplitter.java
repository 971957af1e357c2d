package io.uniserve.client.operation;

import io.uniserve.api.Document;
import io.uniserve.api.Row;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Codec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Partitioner;
import io.uniserve.protocol.client.update.Update.ActorBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Partitioner of encoded rows into batches per actor, in order. An actor's rows are one batch, or several if they exceed one message;
 * step i of the update has the i-th batch of every actor. Not thread-safe.
 */
public final class RowSplitter<R extends Row> {
    private static final int COUNT_BYTES = 4;

    private final Partitioner partitioner;
    private final Codec<R> codec;
    private final Map<Integer, ActorRows> byActor = new TreeMap<>();
    private final boolean textKeys;
    private final Supplier<List<Integer>> allActors;
    private final long now;
    private int rows;
    private long bytes;

    RowSplitter(Partitioner partitioner, Codec<R> codec) {
        this(
                partitioner,
                codec,
                false,
                () -> IntStream.range(0, partitioner.actors()).boxed().toList(),
                0);
    }

    /**
     * Creates a splitter.
     *
     * @param textKeys true if the port's keys are texts, for documents
     * @param allActors the table's actors, for rows that go to all
     * @param now wall clock in milliseconds since 1970, for the check of rows in the future
     */
    public RowSplitter(
            Partitioner partitioner, Codec<R> codec, boolean textKeys, Supplier<List<Integer>> allActors, long now) {
        this.textKeys = textKeys;
        this.allActors = allActors;
        this.now = now;
        this.partitioner = partitioner;
        this.codec = codec;
    }

    /** Adds a row. Fails with INVALID_ROW or TOO_LARGE, with the row's position. */
    public void add(R given) {
        try {
            R row = withPortKey(given);
            int actor = row.actor(partitioner);
            if (partitioner instanceof Partitioner.Time time) {
                time.checkAhead(row.time(time.column()), now);
            }
            bytes += byActor.computeIfAbsent(actor, ActorRows::new).add(row);
            rows++;
        } catch (UniserveException e) {
            throw new UniserveException(e.code(), "row " + rows + ": " + e.reason(), e);
        }
    }

    @SuppressWarnings("unchecked") // a document with another key is a document
    private R withPortKey(R row) {
        return textKeys && row instanceof Document document ? (R) document.withTextKey() : row;
    }

    /**
     * Adds a row to every actor. In a TIME table a document with a time also goes to all actors of its chunk, which may be absent yet or unknown
     * to this client. Fails as {@link #add}.
     */
    public void addToAllActors(R given) {
        try {
            R row = withPortKey(given);
            for (int actor : targetsOf(row)) {
                bytes += byActor.computeIfAbsent(actor, ActorRows::new).add(row);
            }
            rows++;
        } catch (UniserveException e) {
            throw new UniserveException(e.code(), "row " + rows + ": " + e.reason(), e);
        }
    }

    private Set<Integer> targetsOf(R row) {
        Set<Integer> targets = new TreeSet<>(allActors.get());
        if (partitioner instanceof Partitioner.Time time
                && row instanceof Document document
                && document.fields().containsKey(time.column())) {
            long at = row.time(time.column());
            time.checkAhead(at, now);
            int first = time.firstActor(time.chunks().ordinalOf(at));
            for (int bucket = 0; bucket < time.buckets(); bucket++) {
                targets.add(first + bucket);
            }
        }
        return targets;
    }

    /** The actors with rows, ascending. */
    public Set<Integer> actors() {
        return byActor.keySet();
    }

    public long bytes() {
        return bytes;
    }

    /** Returns the steps; none if there are no rows. */
    public List<List<ActorBatch>> steps() {
        byActor.values().forEach(ActorRows::endBatch);
        List<List<ActorBatch>> steps = new ArrayList<>();
        for (ActorRows actor : byActor.values()) {
            for (int i = 0; i < actor.batches.size(); i++) {
                if (steps.size() == i) {
                    steps.add(new ArrayList<>());
                }
                steps.get(i).add(actor.batches.get(i));
            }
        }
        return steps;
    }

    private final class ActorRows {
        private final int actor;
        private final List<ActorBatch> batches = new ArrayList<>(1);
        private BinaryWriter writer = start();
        private int count;

        ActorRows(int actor) {
            this.actor = actor;
        }

        private BinaryWriter start() {
            return new BinaryWriter(256).writeInt(0);
        }

        long add(R row) {
            int before = writer.size();
            codec.write(writer, row);
            int size = writer.size() - before;
            if (size > Limits.ROW_BYTES_MAX) {
                throw new UniserveException(
                        ErrorCode.TOO_LARGE, "it has " + size + " bytes, at most " + Limits.ROW_BYTES_MAX);
            }
            if (writer.size() > Limits.BATCH_BYTES_MAX || count == Limits.BATCH_ROWS_MAX) {
                carryOver(before, size);
            }
            count++;
            return size;
        }

        /** Ends the batch before its last row, which does not fit and starts the next batch. */
        private void carryOver(int before, int size) {
            io.uniserve.codec.Bytes all = writer.setInt(0, count).toBytes();
            batches.add(new ActorBatch(actor, count, all.slice(0, before)));
            writer = start();
            count = 0;
            writer.writeRaw(all.slice(before, size));
        }

        private void endBatch() {
            if (writer.size() > COUNT_BYTES) {
                batches.add(new ActorBatch(actor, count, writer.setInt(0, count).toBytes()));
                writer = start();
                count = 0;
            }
        }
    }
}
