package io.uniserve.port.solr;

import io.uniserve.error.UniserveException;
import io.uniserve.port.solr.table.ConfigsetRules;
import io.uniserve.port.solr.table.FieldValueConverter;
import io.uniserve.port.solr.table.TableConfigFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.core.SolrConfig;
import org.apache.solr.schema.DateValueFieldType;
import org.apache.solr.schema.IndexSchema;
import org.apache.solr.schema.IndexSchemaFactory;
import org.apache.solr.schema.SchemaField;
import org.apache.solr.schema.UUIDField;
import org.jspecify.annotations.Nullable;

/** Configset of a table: a schema with its files, and always the port's own {@code solrconfig.xml}. */
final class SolrConfigset implements TableConfigFiles.Format<IndexSchema> {
    private static final String CONFIG = "solrconfig.xml";
    private static final String SCHEMA = "schema.xml";
    static final TableConfigFiles<IndexSchema> FILES = new TableConfigFiles<>(
            "configset", SCHEMA, List.of("managed-schema.xml", "managed-schema"), CONFIG, new SolrConfigset());

    @Override
    public void check(Path folder) throws IOException {
        ConfigsetRules.check(folder, SCHEMA);
    }

    @Override
    public IndexSchema read(Path conf) throws Exception {
        IndexSchema schema = IndexSchemaFactory.buildIndexSchema(SCHEMA, new SolrConfig(conf.getParent(), CONFIG));
        for (SchemaField one : schema.getFields().values()) {
            if (isMade(one) && FieldValueConverter.isGeneratedOnRead(one.getDefaultValue())) {
                throw UniserveException.invalid("default of field \"" + one.getName() + "\" differs between replicas");
            }
        }
        return schema;
    }

    static boolean isMade(SchemaField field) {
        return field.getType() instanceof DateValueFieldType || field.getType() instanceof UUIDField;
    }

    @Override
    public Map<String, Map<String, String>> definitions(IndexSchema schema) {
        Map<String, Object> all = schema.getNamedPropertyValues();
        var parts = TableConfigFiles.definitionsByKind(
                all, (kinds, part) -> part instanceof NamedList<?> own ? own.get("name") : kinds);
        parts.remove("name");
        parts.put("similarity", Map.of("of the schema", String.valueOf(all.get("similarity"))));
        return parts;
    }

    @Override
    public @Nullable String describeDefinition(IndexSchema schema, String name) {
        SchemaField field = schema.getFieldOrNull(name);
        return field == null ? null : field.toString();
    }
}
