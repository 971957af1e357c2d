package io.uniserve.port.druid.suite;

import org.apache.druid.sql.calcite.CalciteJoinQueryTest;
import org.apache.druid.sql.calcite.SqlTestFrameworkConfig.ComponentSupplier;

/** Druid's CalciteJoinQueryTest with queries on the cluster. */
@ComponentSupplier(SuiteSuppliers.Standard.class)
public class CalciteJoinQuerySuite extends CalciteJoinQueryTest {}
