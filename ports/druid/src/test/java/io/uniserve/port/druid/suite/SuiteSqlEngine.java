package io.uniserve.port.druid.suite;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.inject.Inject;
import io.uniserve.port.druid.sql.ClusterSqlEngine;
import io.uniserve.port.druid.sql.NativeQueries;
import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryRunnerFactoryConglomerate;

/** The port's SQL engine, with native queries on the cluster of the suites. Druid's test framework creates it. */
public final class SuiteSqlEngine extends ClusterSqlEngine {
    /** Called by Druid's test framework. */
    @Inject
    public SuiteSqlEngine(QueryRunnerFactoryConglomerate conglomerate, ObjectMapper json) {
        super(
                new NativeQueries() {
                    @Override
                    public <T> Sequence<T> run(Query<T> query) {
                        return SuiteCluster.get().run(query);
                    }
                },
                conglomerate,
                json);
    }
}
