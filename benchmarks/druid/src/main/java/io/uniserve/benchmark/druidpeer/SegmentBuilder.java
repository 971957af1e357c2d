package io.uniserve.benchmark.druidpeer;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.druid.data.input.MapBasedInputRow;
import org.apache.druid.data.input.impl.DimensionsSpec;
import org.apache.druid.data.input.impl.TimestampSpec;
import org.apache.druid.java.util.common.Intervals;
import org.apache.druid.java.util.common.granularity.Granularities;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.segment.IndexIO;
import org.apache.druid.segment.IndexMergerV9;
import org.apache.druid.segment.IndexSpec;
import org.apache.druid.segment.column.ColumnConfig;
import org.apache.druid.segment.incremental.IncrementalIndex;
import org.apache.druid.segment.incremental.IncrementalIndexSchema;
import org.apache.druid.segment.incremental.OnheapIncrementalIndex;
import org.apache.druid.segment.writeout.OffHeapMemorySegmentWriteOutMediumFactory;
import org.apache.druid.timeline.DataSegment;
import org.apache.druid.timeline.partition.NumberedShardSpec;
import org.joda.time.DateTime;
import org.joda.time.DateTimeZone;
import org.joda.time.Interval;

/** Builder of segments, by Druid's own index and format. Thread-safe. Failures of files are UncheckedIOException. */
final class SegmentBuilder {
    private static final String TIME = "__time";

    private final ObjectMapper json;
    private final IndexMergerV9 merger;

    SegmentBuilder(ObjectMapper json) {
        this.json = json;
        this.merger = new IndexMergerV9(
                json, new IndexIO(json, ColumnConfig.DEFAULT), OffHeapMemorySegmentWriteOutMediumFactory.instance());
    }

    /** Builds one segment in its place in deep storage and returns its description for the metadata. */
    DataSegment build(SegmentRequest request, SegmentRequest.Part part) {
        try {
            return write(request, part);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private DataSegment write(SegmentRequest request, SegmentRequest.Part part) throws IOException {
        Interval interval = Intervals.of(part.interval());
        Path target = Path.of(request.directory())
                .resolve(request.dataSource())
                .resolve(interval.getStart() + "_" + interval.getEnd())
                .resolve(request.version())
                .resolve(Integer.toString(part.partition()));
        Files.createDirectories(target);
        IncrementalIndex index = index(request, interval);
        try {
            add(request, part, index);
            merger.persist(index, interval, target.toFile(), IndexSpec.DEFAULT, null);
        } finally {
            index.close();
        }
        return DataSegment.builder()
                .dataSource(request.dataSource())
                .interval(interval)
                .version(request.version())
                .loadSpec(Map.of("type", "local", "path", target.toString()))
                .dimensions(request.dimensions())
                .metrics(request.metrics().stream()
                        .map(AggregatorFactory::getName)
                        .toList())
                .shardSpec(new NumberedShardSpec(part.partition(), part.partitions()))
                .binaryVersion(9)
                .size(size(target))
                .build();
    }

    private static IncrementalIndex index(SegmentRequest request, Interval interval) {
        IncrementalIndexSchema schema = new IncrementalIndexSchema.Builder()
                .withMinTimestamp(interval.getStartMillis())
                .withTimestampSpec(new TimestampSpec(TIME, "millis", null))
                .withQueryGranularity(Granularities.NONE)
                .withDimensionsSpec(new DimensionsSpec(DimensionsSpec.getDefaultSchemas(request.dimensions())))
                .withMetrics(request.metrics().toArray(new AggregatorFactory[0]))
                .withRollup(request.rollup())
                .build();
        return new OnheapIncrementalIndex.Builder()
                .setIndexSchema(schema)
                .setMaxRowCount(Integer.MAX_VALUE)
                .build();
    }

    private static void add(SegmentRequest request, SegmentRequest.Part part, IncrementalIndex index)
            throws IOException {
        int time = request.columns().indexOf(request.timestamp());
        try (BufferedReader in = Files.newBufferedReader(Path.of(part.file()))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] values = line.split("\\|", -1);
                Map<String, Object> row = new HashMap<>();
                for (int i = 0; i < values.length; i++) {
                    row.put(request.columns().get(i), values[i]);
                }
                DateTime timestamp = new DateTime(values[time], DateTimeZone.UTC);
                index.add(new MapBasedInputRow(timestamp, request.dimensions(), row));
            }
        }
    }

    private static long size(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.mapToLong(SegmentBuilder::sizeOf).sum();
        }
    }

    private static long sizeOf(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the description as JSON, as Druid stores it. */
    byte[] payload(DataSegment segment) throws IOException {
        return json.writeValueAsBytes(segment);
    }

    /** Returns the total size of the segments' files in bytes. */
    static long bytes(List<DataSegment> segments) {
        return segments.stream().mapToLong(DataSegment::getSize).sum();
    }
}
