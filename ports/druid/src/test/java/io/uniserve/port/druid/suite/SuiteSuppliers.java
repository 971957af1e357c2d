package io.uniserve.port.druid.suite;

import org.apache.druid.server.SpecificSegmentsQuerySegmentWalker;
import org.apache.druid.sql.calcite.TempDirProducer;
import org.apache.druid.sql.calcite.run.SqlEngine;
import org.apache.druid.sql.calcite.util.SqlTestFramework;

/**
 * Components of Druid's SQL tests, with the port's SQL engine in place of Druid's, and with the tests' segments in tables of the cluster.
 * Everything else is Druid's: data, schemas, planner, functions, expected plans and results.
 */
public final class SuiteSuppliers {
    private SuiteSuppliers() {}

    /** Components of most tests. */
    public static final class Standard extends SqlTestFramework.StandardComponentSupplier {
        /** Called by Druid's test framework. */
        public Standard(TempDirProducer directories) {
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
