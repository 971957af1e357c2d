package io.uniserve.port.druid.query;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.testkit.tck.TckQuery;
import java.util.List;
import org.apache.druid.query.Query;

/** Requests to actors, as planners send them. */
public final class TestingSegmentQueries {
    private TestingSegmentQueries() {}

    /** Three queries over all rows of a table with columns id and price. */
    public static List<TckQuery<?, ?>> probes(String table) {
        String source = "\"dataSource\": \"" + table + "\", \"granularity\": \"all\", \"intervals\": \"0000/10000\"";
        String sums = "\"aggregations\": [{\"type\": \"count\", \"name\": \"n\"},"
                + " {\"type\": \"doubleSum\", \"name\": \"p\", \"fieldName\": \"price\"}]";
        return List.of(
                probe("{\"queryType\": \"timeseries\", " + source + ", " + sums + "}"),
                probe("{\"queryType\": \"groupBy\", " + source + ", \"dimensions\": [\"id\", \"tags\"], " + sums + "}"),
                probe("{\"queryType\": \"groupBy\", " + source
                        + ", \"dimensions\": [{\"type\": \"default\", \"dimension\": \"__time\", \"outputName\": \"t\","
                        + " \"outputType\": \"LONG\"}, \"id\", \"tags\"], " + sums + "}"));
    }

    private static TckQuery<?, ?> probe(String json) {
        try {
            Query<?> query = DruidServices.get().json().readValue(json, Query.class);
            return new TckQuery<SegmentQuery<?>, PartialResults>(
                    SegmentQueryCalls.RESULTS.id(), new SegmentQuery<>(query), new PartialResultsMerger(), true);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(json, e);
        }
    }
}
