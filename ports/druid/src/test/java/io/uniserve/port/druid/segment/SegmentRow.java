package io.uniserve.port.druid.segment;

import io.uniserve.api.Row;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.model.PartitionKey;
import java.util.List;
import java.util.Map;
import org.joda.time.Interval;
import org.joda.time.chrono.ISOChronology;

/**
 * Row that adds a whole segment to an actor, so that rows keep the types of Druid's test data. For tables whose partitioner is a range of
 * numbers of actors. Immutable.
 *
 * @param actor number of the actor
 * @param start first time of the segment, in milliseconds
 * @param end end of the segment's times, exclusive
 * @param files the segment's files by name
 */
public record SegmentRow(long actor, long start, long end, Map<String, Bytes> files) implements Row {
    /** Codec of the rows. */
    public static final Codec<SegmentRow> CODEC = Codecs.of(
            (out, row) -> {
                out.writeLong(row.actor).writeLong(row.start).writeLong(row.end);
                Codecs.map(Codecs.STRING, Codecs.BYTES).write(out, row.files);
            },
            in -> new SegmentRow(
                    in.readLong(),
                    in.readLong(),
                    in.readLong(),
                    Codecs.map(Codecs.STRING, Codecs.BYTES).read(in)));

    /** The update function. */
    public static final EventualUpdate<DruidActor, SegmentRow> ADD =
            EventualUpdate.of("suite.segment@1", DruidActor.class, CODEC, (actor, rows) -> {}, SegmentRow::apply);

    private static void apply(DruidActor actor, List<SegmentRow> rows) {
        for (SegmentRow row : rows) {
            actor.addSegment(new Interval(row.start, row.end, ISOChronology.getInstanceUTC()), row.files);
        }
    }

    @Override
    public PartitionKey partitionKey() {
        return PartitionKey.of(actor);
    }
}
