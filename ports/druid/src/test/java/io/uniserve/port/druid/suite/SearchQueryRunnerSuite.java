package io.uniserve.port.druid.suite;

import java.util.List;
import org.apache.druid.query.QueryRunner;
import org.apache.druid.query.search.SearchQueryRunnerTest;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** Druid's SearchQueryRunnerTest over the cluster. */
@RunWith(Parameterized.class)
public class SearchQueryRunnerSuite extends SearchQueryRunnerTest {
    /** Called by JUnit. */
    @SuppressWarnings("rawtypes") // Druid's constructor has the raw type.
    public SearchQueryRunnerSuite(QueryRunner runner) {
        super(runner);
    }

    /** Returns the runner of the cluster. */
    @Parameterized.Parameters(name = "{0}")
    public static Iterable<Object[]> constructorFeeder() {
        return List.<Object[]>of(new Object[] {RunnerSuites.whole()});
    }
}
