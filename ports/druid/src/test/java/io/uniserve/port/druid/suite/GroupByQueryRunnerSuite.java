package io.uniserve.port.druid.suite;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.druid.query.TestQueryRunner;
import org.apache.druid.query.groupby.GroupByQueryConfig;
import org.apache.druid.query.groupby.GroupByQueryRunnerFactory;
import org.apache.druid.query.groupby.GroupByQueryRunnerTest;
import org.apache.druid.query.groupby.GroupByStatsProvider;
import org.apache.druid.query.groupby.ResultRow;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** Druid's GroupByQueryRunnerTest over the cluster. The tests merge and finalize what actors return. */
@RunWith(Parameterized.class)
public class GroupByQueryRunnerSuite extends GroupByQueryRunnerTest {
    /** Called by JUnit. */
    public GroupByQueryRunnerSuite(
            String name,
            GroupByQueryConfig config,
            GroupByQueryRunnerFactory factory,
            TestQueryRunner<ResultRow> runner,
            boolean vectorize,
            GroupByStatsProvider stats) {
        super(name, config, factory, runner, vectorize, stats);
    }

    /** Returns the parameters of Druid's default configuration, with and without vectors, and with a runner of the cluster. */
    @Parameterized.Parameters(name = "{0}")
    public static Collection<Object[]> constructorFeeder() {
        List<Object[]> chosen = new ArrayList<>();
        for (Object[] parameters : GroupByQueryRunnerTest.constructorFeeder()) {
            if (parameters[0].toString().startsWith("config=v2, runner=mMappedTestIndex,")) {
                Object[] ours = parameters.clone();
                ours[0] = "vectorize=" + parameters[4];
                ours[3] = RunnerSuites.<ResultRow>partial();
                chosen.add(ours);
            }
        }
        return chosen;
    }
}
