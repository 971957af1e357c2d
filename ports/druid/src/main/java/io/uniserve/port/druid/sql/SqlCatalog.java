package io.uniserve.port.druid.sql;

import io.uniserve.error.UniserveException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.schema.Schema;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.Table;
import org.apache.druid.query.TableDataSource;
import org.apache.druid.query.lookup.LookupExtractorFactoryContainerProvider;
import org.apache.druid.segment.column.RowSignature;
import org.apache.druid.server.security.AuthorizerMapper;
import org.apache.druid.server.security.ResourceType;
import org.apache.druid.sql.calcite.planner.DruidOperatorTable;
import org.apache.druid.sql.calcite.schema.AbstractTableSchema;
import org.apache.druid.sql.calcite.schema.DruidSchemaCatalog;
import org.apache.druid.sql.calcite.schema.InformationSchema;
import org.apache.druid.sql.calcite.schema.LookupSchema;
import org.apache.druid.sql.calcite.schema.NamedLookupSchema;
import org.apache.druid.sql.calcite.schema.NamedSchema;
import org.apache.druid.sql.calcite.table.DatasourceTable;

/**
 * Schemas of one statement: {@code druid} with the cluster's tables, {@code lookup}, and {@code INFORMATION_SCHEMA}. A planner cannot list the
 * cluster's tables. So INFORMATION_SCHEMA has only ROUTINES and SCHEMATA; its other tables, and those of {@code sys}, are refused.
 */
final class SqlCatalog {
    static final String DRUID = "druid";

    private static final String INFORMATION = "INFORMATION_SCHEMA";
    private static final Set<String> LISTED = Set.of("ROUTINES", "SCHEMATA");

    private SqlCatalog() {}

    /**
     * Returns the schemas.
     *
     * @param tables returns a table's columns by its name; empty if there is no such table
     */
    static DruidSchemaCatalog create(
            Function<String, Optional<RowSignature>> tables,
            LookupExtractorFactoryContainerProvider lookups,
            DruidOperatorTable operators,
            AuthorizerMapper authorizers) {
        SchemaPlus root = CalciteSchema.createRootSchema(false, false).plus();
        Map<String, NamedSchema> named = new HashMap<>();
        named.put(DRUID, new Named(DRUID, ResourceType.DATASOURCE, new Tables(tables)));
        NamedLookupSchema lookup = new NamedLookupSchema(new LookupSchema(lookups));
        named.put(lookup.getSchemaName(), lookup);
        named.put("sys", new Named("sys", ResourceType.SYSTEM_TABLE, new Refused("sys")));
        DruidSchemaCatalog catalog = new DruidSchemaCatalog(root, named);
        named.values().forEach(schema -> root.add(schema.getSchemaName(), schema.getSchema()));
        root.add(INFORMATION, new Information(new InformationSchema(catalog, authorizers, operators)));
        return catalog;
    }

    private record Named(String name, String resource, Schema schema) implements NamedSchema {
        @Override
        public String getSchemaName() {
            return name;
        }

        @Override
        public String getSchemaResourceType(String resourceName) {
            return resource;
        }

        @Override
        public Schema getSchema() {
            return schema;
        }
    }

    /** Schema that finds tables by name and lists none. */
    private abstract static class ByName extends AbstractTableSchema {
        @Override
        public final Set<String> getTableNames() {
            return Set.of();
        }
    }

    private static final class Tables extends ByName {
        private final Function<String, Optional<RowSignature>> tables;

        Tables(Function<String, Optional<RowSignature>> tables) {
            this.tables = tables;
        }

        @Override
        public @org.jspecify.annotations.Nullable Table getTable(String name) {
            return tables.apply(name)
                    .map(columns -> new DatasourceTable(new DatasourceTable.PhysicalDatasourceMetadata(
                            new TableDataSource(name), columns, false, false)))
                    .orElse(null);
        }
    }

    private static final class Refused extends ByName {
        private final String schema;

        Refused(String schema) {
            this.schema = schema;
        }

        @Override
        public Table getTable(String name) {
            throw UniserveException.unsupported(
                    "table " + schema + "." + name + ": use the command uniserve status or uniserve table list");
        }
    }

    private static final class Information extends ByName {
        private final InformationSchema all;

        Information(InformationSchema all) {
            this.all = all;
        }

        @Override
        public @org.jspecify.annotations.Nullable Table getTable(String name) {
            Table table = all.getTable(name);
            if (table != null && !LISTED.contains(name)) {
                throw UniserveException.unsupported("table " + INFORMATION + "." + name
                        + ": use the command uniserve table list or uniserve table describe");
            }
            return table;
        }
    }
}
