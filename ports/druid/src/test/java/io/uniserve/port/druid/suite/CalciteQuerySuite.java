package io.uniserve.port.druid.suite;

import org.apache.druid.sql.calcite.CalciteQueryTest;
import org.apache.druid.sql.calcite.SqlTestFrameworkConfig.ComponentSupplier;

/** Druid's CalciteQueryTest with queries on the cluster. */
@ComponentSupplier(SuiteSuppliers.Standard.class)
public class CalciteQuerySuite extends CalciteQueryTest {}
