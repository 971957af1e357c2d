package io.uniserve.port.druid.suite;

import java.util.ArrayList;
import java.util.List;
import org.apache.druid.query.QueryRunner;
import org.apache.druid.query.QueryRunnerTestHelper;
import org.apache.druid.query.Result;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.query.timeseries.TimeseriesQueryRunnerTest;
import org.apache.druid.query.timeseries.TimeseriesResultValue;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** Druid's TimeseriesQueryRunnerTest over the cluster. */
@RunWith(Parameterized.class)
public class TimeseriesQueryRunnerSuite extends TimeseriesQueryRunnerTest {
    /** Called by JUnit. */
    public TimeseriesQueryRunnerSuite(
            QueryRunner<Result<TimeseriesResultValue>> runner,
            boolean descending,
            boolean vectorize,
            List<AggregatorFactory> aggregators) {
        super(runner, descending, vectorize, aggregators);
    }

    /** Returns both orders, with and without vectors, as far as Druid can combine them. */
    @Parameterized.Parameters(name = "{0}:descending={1},vectorize={2}")
    public static Iterable<Object[]> constructorFeeder() {
        List<Object[]> all = new ArrayList<>();
        for (List<AggregatorFactory> aggregators : List.of(
                QueryRunnerTestHelper.COMMON_DOUBLE_AGGREGATORS, QueryRunnerTestHelper.COMMON_FLOAT_AGGREGATORS)) {
            all.add(new Object[] {RunnerSuites.whole(), false, false, aggregators});
            all.add(new Object[] {RunnerSuites.whole(), true, false, aggregators});
            all.add(new Object[] {RunnerSuites.whole(), false, true, aggregators});
        }
        return all;
    }
}
