package io.uniserve.port.druid.sql;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.inject.Guice;
import com.google.inject.Module;
import io.uniserve.port.druid.runtime.DruidServices;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.druid.guice.DruidScopes;
import org.apache.druid.guice.LazySingleton;
import org.apache.druid.guice.annotations.Json;
import org.apache.druid.math.expr.ExprMacroTable;
import org.apache.druid.query.aggregation.datasketches.hll.HllSketchModule;
import org.apache.druid.query.aggregation.datasketches.kll.KllSketchModule;
import org.apache.druid.query.aggregation.datasketches.quantiles.DoublesSketchModule;
import org.apache.druid.query.aggregation.datasketches.theta.SketchModule;
import org.apache.druid.query.aggregation.datasketches.tuple.ArrayOfDoublesSketchModule;
import org.apache.druid.query.lookup.LookupExtractorFactoryContainerProvider;
import org.apache.druid.sql.calcite.aggregation.SqlAggregationModule;
import org.apache.druid.sql.calcite.expression.builtin.QueryLookupOperatorConversion;
import org.apache.druid.sql.calcite.planner.DruidOperatorTable;
import org.apache.druid.sql.guice.SqlBindings;

/** Factory of Druid's operator table: Druid's SQL functions with LOOKUP, and those of its sketch extension. Guice collects them, as in Druid. */
final class SqlOperators {
    private SqlOperators() {}

    static DruidOperatorTable create(DruidServices services) {
        List<Module> modules = new ArrayList<>(List.of(
                new SketchModule(),
                new HllSketchModule(),
                new DoublesSketchModule(),
                new KllSketchModule(),
                new ArrayOfDoublesSketchModule(),
                new SqlAggregationModule()));
        modules.add(binder -> {
            binder.bindScope(LazySingleton.class, DruidScopes.SINGLETON);
            binder.bind(Properties.class).toInstance(new Properties());
            binder.bind(ObjectMapper.class).toInstance(services.json());
            binder.bind(ObjectMapper.class).annotatedWith(Json.class).toInstance(services.json());
            binder.bind(ExprMacroTable.class).toInstance(services.macros());
            binder.bind(LookupExtractorFactoryContainerProvider.class).toInstance(services.lookups());
            SqlBindings.addOperatorConversion(binder, QueryLookupOperatorConversion.class);
        });
        return Guice.createInjector(modules).getInstance(DruidOperatorTable.class);
    }
}
