package io.uniserve.benchmark.druidpeer;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.apache.druid.query.aggregation.AggregatorFactory;

/**
 * Segments to build from files with one row per line, values separated by bars.
 *
 * @param columns names of the values of a line, in order
 * @param timestamp column with the time of a row, as a date or an ISO time
 * @param directory deep storage; each segment is a directory below it
 * @param version version of all segments
 * @param metadata JDBC address of Druid's metadata, or empty to publish nothing
 */
record SegmentRequest(
        String dataSource,
        List<String> columns,
        String timestamp,
        List<String> dimensions,
        List<AggregatorFactory> metrics,
        boolean rollup,
        String directory,
        String version,
        String metadata,
        List<Part> parts) {
    @JsonCreator
    SegmentRequest(
            @JsonProperty("dataSource") String dataSource,
            @JsonProperty("columns") List<String> columns,
            @JsonProperty("timestamp") String timestamp,
            @JsonProperty("dimensions") List<String> dimensions,
            @JsonProperty("metrics") List<AggregatorFactory> metrics,
            @JsonProperty("rollup") boolean rollup,
            @JsonProperty("directory") String directory,
            @JsonProperty("version") String version,
            @JsonProperty("metadata") String metadata,
            @JsonProperty("parts") List<Part> parts) {
        this.dataSource = dataSource;
        this.columns = List.copyOf(columns);
        this.timestamp = timestamp;
        this.dimensions = List.copyOf(dimensions);
        this.metrics = List.copyOf(metrics);
        this.rollup = rollup;
        this.directory = directory;
        this.version = version;
        this.metadata = metadata;
        this.parts = List.copyOf(parts);
    }

    /**
     * One segment.
     *
     * @param interval its time chunk, in ISO form
     * @param partition its number in the chunk, from 0
     * @param partitions number of segments of the chunk
     */
    record Part(String file, String interval, int partition, int partitions) {
        @JsonCreator
        Part(
                @JsonProperty("file") String file,
                @JsonProperty("interval") String interval,
                @JsonProperty("partition") int partition,
                @JsonProperty("partitions") int partitions) {
            this.file = file;
            this.interval = interval;
            this.partition = partition;
            this.partitions = partitions;
        }
    }
}
