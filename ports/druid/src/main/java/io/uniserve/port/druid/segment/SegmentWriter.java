package io.uniserve.port.druid.segment;

import io.uniserve.codec.Bytes;
import io.uniserve.port.druid.runtime.DruidServices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.druid.segment.BaseProgressIndicator;
import org.apache.druid.segment.IndexSpec;
import org.apache.druid.segment.QueryableIndex;
import org.joda.time.Interval;

/** Writer of an actor's segments: from rows in memory, or from smaller segments. Used on the actor's update thread. */
final class SegmentWriter {
    private final TableSchema schema;
    private final String table;
    private final Path directory;
    private long next = 1;

    SegmentWriter(TableSchema schema, String table, Path directory) {
        this.schema = schema;
        this.table = table;
        this.directory = directory;
    }

    long next() {
        return next;
    }

    void setNext(long number) {
        next = number;
    }

    Path directory() {
        return directory;
    }

    /** Writes the pending rows of an interval as a segment: Druid's persist. */
    StoredSegment persist(Interval interval, PendingIndex pending) throws IOException {
        long number = next++;
        Path target = Files.createDirectories(directory.resolve(Long.toString(number)));
        DruidServices.get().merger().persist(pending.index(), interval, target.toFile(), IndexSpec.DEFAULT, null);
        return StoredSegment.opened(table, number, interval, target);
    }

    /** Writes the files of a segment that was written elsewhere. */
    StoredSegment write(Interval interval, Map<String, Bytes> files) throws IOException {
        long number = next++;
        Path target = Files.createDirectories(directory.resolve(Long.toString(number)));
        for (var file : files.entrySet()) {
            Files.write(target.resolve(file.getKey()), file.getValue().toArray());
        }
        return StoredSegment.opened(table, number, interval, target);
    }

    /** Merges segments of one interval, with roll-up if the table has it. */
    StoredSegment merge(Interval interval, List<StoredSegment> parts) throws IOException {
        long number = next++;
        Path target = Files.createDirectories(directory.resolve(Long.toString(number)));
        List<QueryableIndex> indexes = parts.stream().map(StoredSegment::index).toList();
        DruidServices.get()
                .merger()
                .mergeQueryableIndex(
                        indexes,
                        schema.rollup(),
                        schema.metrics(),
                        schema.dataSchema().getDimensionsSpec(),
                        target.toFile(),
                        IndexSpec.DEFAULT,
                        IndexSpec.DEFAULT,
                        new BaseProgressIndicator(),
                        null,
                        -1);
        return StoredSegment.opened(table, number, interval, target);
    }
}
