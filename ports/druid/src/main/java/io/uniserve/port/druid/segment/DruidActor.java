package io.uniserve.port.druid.segment;

import static io.uniserve.port.druid.runtime.DruidErrors.DRUID;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorUsage;
import io.uniserve.api.Document;
import io.uniserve.api.extra.ActorFileLinker;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.druid.segment.ReferenceCountingSegment;
import org.joda.time.Interval;

/**
 * Actor of the Druid port: segments in files, and an index in memory for the pending rows of each interval. A pending row is in no segment
 * file yet. The order of updates alone decides when rows become segments and when segments are merged. So replicas have the same segments.
 *
 * <p>Thread-safety: see {@link Actor}. A query reads one published list of segments. Rows of an update that is being applied may become
 * visible one by one, as in Druid's ingestion tasks.
 */
public final class DruidActor implements Actor {
    private final ActorContext context;
    private final TableSchema schema;
    private final SegmentStore store;
    private volatile SegmentSet published;
    private volatile boolean closed;

    private DruidActor(ActorContext context, TableSchema schema, SegmentStore store) {
        this.context = context;
        this.schema = schema;
        this.store = store;
        this.published = DRUID.call("open an actor", store::publish);
    }

    /** Creates an empty actor. */
    public static DruidActor create(ActorContext context) {
        TableSchema schema = TableSchema.of(context.meta());
        return DRUID.call(
                "create an actor",
                () -> new DruidActor(
                        context,
                        schema,
                        new SegmentStore(schema, context.meta().name().value(), context.scratch())));
    }

    /** Restores an actor from a checkpoint. */
    public static DruidActor restore(ActorContext context, Path checkpoint) {
        TableSchema schema = TableSchema.of(context.meta());
        String table = context.meta().name().value();
        try {
            SegmentStore store = new SegmentStore(schema, table, context.scratch());
            try {
                CheckpointFiles.restore(checkpoint, store);
                return new DruidActor(context, schema, store);
            } catch (IOException | RuntimeException e) {
                store.close();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            if (e instanceof UniserveException known && known.code() != ErrorCode.INVALID_ROW) {
                throw known;
            }
            throw new UniserveException(
                    ErrorCode.CORRUPT, "checkpoint " + checkpoint + " is damaged: " + e.getMessage(), e);
        }
    }

    /** The table's schema. */
    public TableSchema schema() {
        return schema;
    }

    /** The actor's number. */
    public int number() {
        return context.actor();
    }

    /** Table definition, actor number and directory of the actor. */
    ActorContext context() {
        return context;
    }

    /** Rejects rows that do not fit the table's columns. */
    void check(List<Document> rows) {
        new DruidRowReader(schema).check(rows);
    }

    /** Adds rows. */
    void append(List<Document> rows) {
        DRUID.run("append rows", () -> {
            for (Document row : rows) {
                store.append(row);
            }
        });
    }

    /** Adds a segment that was written elsewhere, given as its files by name. */
    void addSegment(Interval interval, Map<String, Bytes> files) {
        DRUID.run("add a segment", () -> store.add(interval, files));
    }

    /** Drops all rows in the segment intervals of these rows, and adds those that this actor owns. */
    void replace(List<Document> rows, boolean onlyOwned) {
        DRUID.run("replace rows", () -> {
            for (Document row : rows) {
                store.dropBucketOf(row);
            }
        });
        append(onlyOwned ? rows.stream().filter(context::owns).toList() : rows);
    }

    /** Drops all rows in these intervals. The update function has checked that they consist of whole segment intervals. */
    void delete(List<IntervalRow> intervals) {
        DRUID.run("delete rows", () -> {
            for (IntervalRow row : intervals) {
                store.dropBuckets(row.interval());
            }
        });
    }

    /** Runs a query's work with the published segments, which stay open until it returns. */
    public <T> T read(Function<List<ReferenceCountingSegment>, T> work) {
        List<ReferenceCountingSegment> segments = acquire();
        try {
            return work.apply(segments);
        } finally {
            segments.forEach(ReferenceCountingSegment::decrement);
        }
    }

    /** Acquires a reference to each published segment. Repeats if an update replaced the list and closed segments meanwhile. */
    private List<ReferenceCountingSegment> acquire() {
        while (!closed) {
            SegmentSet set = published;
            List<ReferenceCountingSegment> all = new ArrayList<>();
            set.stored().forEach(stored -> all.add(stored.segment()));
            all.addAll(set.pending());
            int held = 0;
            while (held < all.size() && all.get(held).increment()) {
                held++;
            }
            if (held == all.size()) {
                return all;
            }
            all.subList(0, held).forEach(ReferenceCountingSegment::decrement);
        }
        throw new UniserveException(ErrorCode.UNAVAILABLE, "the actor is closed");
    }

    @Override
    public void publish() {
        published = DRUID.call("publish", store::publish);
        DRUID.run("drop segments", store::dropRetired);
    }

    @Override
    public void writeTo(Path directory) {
        SegmentSet set = published;
        DRUID.run("write a checkpoint", () -> CheckpointFiles.write(set, store.nextNumber(), directory));
    }

    @Override
    public ActorUsage usage() {
        SegmentSet set = published;
        long disk = set.storedBytes() + set.journalBytes();
        return new ActorUsage(set.rows(), set.storedBytes() + set.pendingMemory(), disk);
    }

    @Override
    public byte[] digest() {
        return DRUID.call("compute the digest", () -> read(SegmentDigest.with(schema.metrics())));
    }

    /** Whether the actor is closed. */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            DRUID.run("close an actor", store::close);
        }
    }

    @Override
    public void destroy() {
        close();
        DRUID.run("delete " + context.scratch(), () -> {
            try (var files = Files.list(context.scratch())) {
                for (Path file : files.toList()) {
                    ActorFileLinker.delete(file);
                }
            }
        });
    }
}
