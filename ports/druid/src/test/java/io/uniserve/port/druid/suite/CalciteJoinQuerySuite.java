package io.uniserve.port.druid.suite;

import java.util.List;
import java.util.Map;
import org.apache.druid.query.Query;
import org.apache.druid.sql.calcite.CalciteJoinQueryTest;
import org.apache.druid.sql.calcite.SqlTestFrameworkConfig.ComponentSupplier;

/**
 * Druid's CalciteJoinQueryTest with queries on the cluster.
 *
 * <p>One test selects ANY_VALUE of a group of the lookup with the values {@code xa} and {@code xabc}. Druid documents that any of them is
 * right, and the test expects {@code xabc}. The suite accepts both; plan and other columns are compared as by Druid.
 */
@ComponentSupplier(SuiteSuppliers.Standard.class)
public class CalciteJoinQuerySuite extends CalciteJoinQueryTest {
    private static final String ANY_VALUE_OF_LOOKUP = "ANY_VALUE(v, 10) v FROM lookup.lookyloo GROUP BY 1";

    @Override
    public void testQuery(
            String sql, Map<String, Object> context, List<Query<?>> expectedQueries, List<Object[]> expectedResults) {
        if (!sql.contains(ANY_VALUE_OF_LOOKUP)) {
            super.testQuery(sql, context, expectedQueries, expectedResults);
            return;
        }
        testQuery(sql, context, expectedQueries, (text, found) -> {
            List<Object[]> rows = found.results.stream()
                    .map(CalciteJoinQuerySuite::withExpectedValue)
                    .toList();
            assertResultsEquals(text, expectedResults, rows);
        });
    }

    /** Row with {@code xabc} in place of {@code xa}, if both columns of ANY_VALUE agree. */
    private static Object[] withExpectedValue(Object[] row) {
        Object[] copy = row.clone();
        if (copy.length == 4 && "xa".equals(copy[2]) && "xa".equals(copy[3])) {
            copy[2] = "xabc";
            copy[3] = "xabc";
        }
        return copy;
    }
}
