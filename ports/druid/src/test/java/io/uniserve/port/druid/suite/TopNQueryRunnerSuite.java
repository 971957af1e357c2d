package io.uniserve.port.druid.suite;

import java.util.List;
import org.apache.druid.query.QueryRunnerTestHelper;
import org.apache.druid.query.Result;
import org.apache.druid.query.TestQueryRunner;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.query.topn.TopNQueryRunnerTest;
import org.apache.druid.query.topn.TopNResultValue;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** Druid's TopNQueryRunnerTest over the cluster. */
@RunWith(Parameterized.class)
public class TopNQueryRunnerSuite extends TopNQueryRunnerTest {
    /** Called by JUnit. */
    public TopNQueryRunnerSuite(
            TestQueryRunner<Result<TopNResultValue>> runner,
            boolean generic1,
            boolean generic2,
            boolean historical1,
            boolean historicalSingle1,
            boolean duplicateSingleAggregatorQueries,
            List<AggregatorFactory> aggregators,
            String name) {
        super(
                runner,
                generic1,
                generic2,
                historical1,
                historicalSingle1,
                duplicateSingleAggregatorQueries,
                aggregators,
                name);
    }

    /** Returns aggregators of doubles and of floats, with all specializations of Druid's algorithm off and on. */
    @Parameterized.Parameters(name = "{7}")
    public static Iterable<Object[]> constructorFeeder() {
        return List.of(
                parameters(false, QueryRunnerTestHelper.COMMON_DOUBLE_AGGREGATORS, "double aggs"),
                parameters(false, QueryRunnerTestHelper.COMMON_FLOAT_AGGREGATORS, "float aggs"),
                parameters(true, QueryRunnerTestHelper.COMMON_DOUBLE_AGGREGATORS, "double aggs, specialized"));
    }

    private static Object[] parameters(boolean special, List<AggregatorFactory> aggregators, String name) {
        return new Object[] {RunnerSuites.whole(), special, special, special, special, special, aggregators, name};
    }
}
