package io.uniserve.port.druid.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.hash.Hashing;
import io.uniserve.port.druid.runtime.DruidServices;
import java.util.List;
import java.util.Map;
import org.apache.druid.hll.HyperLogLogCollector;
import org.apache.druid.java.util.common.DateTimes;
import org.apache.druid.query.Query;
import org.apache.druid.query.Result;
import org.apache.druid.query.timeseries.TimeseriesResultValue;
import org.junit.jupiter.api.Test;

/** Partial results after their way between servers. */
class PartialResultsTest {
    /** The hash of the empty text is 0, which only the overflow register of a collector can have. */
    @Test
    @SuppressWarnings("unchecked") // The query is a timeseries.
    void countsOfDistinctTextsHaveTheEmptyOne() throws Exception {
        Query<Result<TimeseriesResultValue>> query = (Query<Result<TimeseriesResultValue>>) DruidServices.get()
                .json()
                .readValue(
                        "{\"queryType\": \"timeseries\", \"dataSource\": \"t\", \"intervals\": \"2024/2025\", \"granularity\":"
                                + " \"all\", \"aggregations\": [{\"type\": \"cardinality\", \"name\": \"c\", \"fields\": [\"d\"]}]}",
                        Query.class);
        HyperLogLogCollector collector = HyperLogLogCollector.makeLatestCollector();
        for (String text : List.of("", "a", "abc")) {
            collector.add(Hashing.murmur3_128().hashUnencodedChars(text).asBytes());
        }
        List<Result<TimeseriesResultValue>> rows =
                List.of(new Result<>(DateTimes.of("2024-01-01"), new TimeseriesResultValue(Map.of("c", collector))));
        PartialResults sent = PartialResults.CODEC.decode(
                PartialResults.CODEC.encode(PartialResults.of(1, TimeRange.EMPTY, query, rows)));
        Result<TimeseriesResultValue> received = PartialResults.decoded(
                        query, List.of(sent), DruidServices.get().brokerFactories())
                .findFirst()
                .orElseThrow()
                .get(0);
        assertThat(((HyperLogLogCollector) received.getValue().getMetric("c")).estimateCardinality())
                .isEqualTo(3, within(0.1));
    }
}
