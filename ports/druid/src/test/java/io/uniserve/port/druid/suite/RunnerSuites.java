package io.uniserve.port.druid.suite;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.apache.druid.java.util.common.guava.Sequences;
import org.apache.druid.query.QueryRunner;
import org.apache.druid.query.QueryRunnerTestHelper;
import org.apache.druid.query.TestQueryRunner;
import org.apache.druid.query.scan.ScanResultValue;
import org.apache.druid.segment.QueryableIndexSegment;
import org.apache.druid.segment.TestIndex;

/** Query runners on the cluster for Druid's tests of its runners. Their rows, Druid's sample of numbers, are the table {@code testing}. */
final class RunnerSuites {
    private RunnerSuites() {}

    private static <T> TestQueryRunner<T> named(QueryRunner<T> runner) {
        SuiteCluster.get().load(QueryRunnerTestHelper.DATA_SOURCE, TestIndex.getMMappedTestIndex(), true);
        return new TestQueryRunner<>(
                "cluster",
                runner,
                new QueryableIndexSegment(TestIndex.getMMappedTestIndex(), QueryRunnerTestHelper.SEGMENT_ID));
    }

    /** Runner of whole queries: the port merges and finalizes. */
    static <T> TestQueryRunner<T> whole() {
        return named((plus, response) -> Sequences.simple(WireTypes.restored(
                plus.getQuery(), SuiteCluster.get().run(plus.getQuery()).toList())));
    }

    /** Runner of what Druid's broker sends to its data nodes: the test itself merges and finalizes, as it does with Druid's runners. */
    static <T> TestQueryRunner<T> partial() {
        return named((plus, response) -> SuiteCluster.get().runPartial(plus.getQuery()));
    }

    /**
     * Runner of scans. Results come in batches, one per segment at least, with the segment's name. The tests expect one segment, so this joins
     * batches of equal columns, and gives them the name of the test's segment.
     */
    static TestQueryRunner<ScanResultValue> scans() {
        return named((plus, response) -> Sequences.simple(joined(WireTypes.restored(
                plus.getQuery(), SuiteCluster.get().run(plus.getQuery()).toList()))));
    }

    private static List<ScanResultValue> joined(List<ScanResultValue> batches) {
        List<ScanResultValue> joined = new ArrayList<>();
        List<Object> rows = new ArrayList<>();
        for (int i = 0; i < batches.size(); i++) {
            ScanResultValue batch = batches.get(i);
            rows.addAll((List<?>) batch.getEvents());
            boolean last = i + 1 == batches.size()
                    || !new LinkedHashSet<>(batch.getColumns())
                            .equals(new LinkedHashSet<>(batches.get(i + 1).getColumns()));
            if (last) {
                joined.add(new ScanResultValue(
                        QueryRunnerTestHelper.SEGMENT_ID.toString(), batch.getColumns(), List.copyOf(rows)));
                rows.clear();
            }
        }
        return joined;
    }
}
