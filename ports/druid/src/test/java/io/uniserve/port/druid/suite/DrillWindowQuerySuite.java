package io.uniserve.port.druid.suite;

import org.apache.druid.server.SpecificSegmentsQuerySegmentWalker;
import org.apache.druid.sql.calcite.DrillWindowQueryTest;
import org.apache.druid.sql.calcite.SqlTestFrameworkConfig.ComponentSupplier;
import org.apache.druid.sql.calcite.TempDirProducer;
import org.apache.druid.sql.calcite.run.SqlEngine;

/** Druid's DrillWindowQueryTest, the window queries of Apache Drill with their expected results, with queries on the cluster. */
@ComponentSupplier(DrillWindowQuerySuite.Drill.class)
public class DrillWindowQuerySuite extends DrillWindowQueryTest {
    /** Components of the window queries. */
    public static final class Drill extends DrillComponentSupplier {
        /** Called by Druid's test framework. */
        public Drill(TempDirProducer directories) {
            super(directories);
        }

        @Override
        public SpecificSegmentsQuerySegmentWalker addSegmentsToWalker(SpecificSegmentsQuerySegmentWalker walker) {
            return SuiteCluster.get().load(super.addSegmentsToWalker(walker));
        }

        @Override
        public Class<? extends SqlEngine> getSqlEngineClass() {
            return SuiteSqlEngine.class;
        }
    }
}
