package io.uniserve.port.druid.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.druid.runtime.DruidServices;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.druid.java.util.common.DateTimes;
import org.apache.druid.query.Query;
import org.apache.druid.query.Result;
import org.apache.druid.query.topn.DimensionAndMetricValueExtractor;
import org.apache.druid.query.topn.TopNQuery;
import org.apache.druid.query.topn.TopNResultValue;
import org.junit.jupiter.api.Test;

class ExactTopNTest {
    @SuppressWarnings("unchecked") // The query is a topN.
    private static Query<Result<TopNResultValue>> query(String dimension, String metric) throws Exception {
        return (Query<Result<TopNResultValue>>) DruidServices.get()
                .json()
                .readValue(
                        "{\"queryType\": \"topN\", \"dataSource\": \"t\", \"intervals\": \"2024/2025\", \"granularity\":"
                                + " \"all\", \"threshold\": 1, \"dimension\": " + dimension + ", \"metric\": " + metric
                                + ", \"aggregations\": [{\"type\": \"count\", \"name\": \"n\"}]}",
                        Query.class);
    }

    private static List<Result<TopNResultValue>> values(int first, int count) {
        List<DimensionAndMetricValueExtractor> values = new ArrayList<>();
        for (int i = first; i < first + count; i++) {
            values.add(new DimensionAndMetricValueExtractor(Map.of("d", "v" + i, "n", (long) i)));
        }
        return List.of(new Result<>(DateTimes.of("2024-01-01"), new TopNResultValue(values)));
    }

    @Test
    void theLimitOfValuesIsPerActor() throws Exception {
        Query<Result<TopNResultValue>> query = query("\"d\"", "\"n\"");
        Query<Result<TopNResultValue>> all = ExactTopN.forActors(query);
        ExactTopN.check(all, values(0, ExactTopN.VALUES_MAX - 1));
        assertThatThrownBy(() -> ExactTopN.check(all, values(0, ExactTopN.VALUES_MAX)))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
        // The merged values of two actors of one server.
        ExactTopN.Ranking<Result<TopNResultValue>> ranking = new ExactTopN.Ranking<>(query);
        ranking.add(values(0, ExactTopN.VALUES_MAX + 1));
        assertThat(ranking.best().get(0).getValue().getValue().get(0).getDimensionValue("d"))
                .isEqualTo("v" + ExactTopN.VALUES_MAX);
    }

    @Test
    void mergedValuesAreThoseOfAllResultsWithoutChangesToThem() throws Exception {
        TopNQuery query = (TopNQuery) (Query<?>) query("\"d\"", "\"n\"");
        List<Result<TopNResultValue>> first = TopNValues.compact(query, values(0, 3));
        List<Result<TopNResultValue>> second = values(1, 3);
        List<Result<TopNResultValue>> merged = TopNMerge.allValues(query, List.of(first, second));
        assertThat(merged.get(0).getValue().getValue())
                .extracting(value -> value.getBaseObject().toString())
                .containsExactly("{d=v0, n=0}", "{d=v1, n=2}", "{d=v2, n=4}", "{d=v3, n=3}");
        assertThat(TopNMerge.allValues(query, List.of(merged, second))
                        .get(0)
                        .getValue()
                        .getValue()
                        .get(1)
                        .getLongMetric("n"))
                .isEqualTo(3);
        assertThat(merged.get(0).getValue().getValue().get(1).getLongMetric("n"))
                .isEqualTo(2);
        assertThat(first.get(0).getValue().getValue().get(2).getLongMetric("n")).isEqualTo(2);
    }

    @Test
    void ranksByTheDimensionNeedNotAllValues() throws Exception {
        String byLength = "{\"type\": \"dimension\", \"ordering\": \"strlen\"}";
        assertThat(ExactTopN.applies(query("\"d\"", "\"n\""))).isTrue();
        assertThat(ExactTopN.applies(query("\"d\"", byLength))).isFalse();
        assertThat(ExactTopN.applies(query("\"d\"", "{\"type\": \"inverted\", \"metric\": " + byLength + "}")))
                .isFalse();
        String number = "{\"type\": \"default\", \"dimension\": \"d\", \"outputType\": \"LONG\"}";
        assertThat(ExactTopN.applies(query(number, byLength))).isTrue();
        assertThat(ExactTopN.applies(query(number, "{\"type\": \"dimension\", \"ordering\": \"numeric\"}")))
                .isFalse();
        assertThat(ExactTopN.applies(query("\"d\"", "{\"type\": \"dimension\", \"ordering\": \"numeric\"}")))
                .isTrue();
    }
}
