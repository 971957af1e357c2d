package io.uniserve.sql.parse;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.ColumnSchema.Column;
import io.uniserve.api.extra.ColumnType;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import org.apache.calcite.config.CalciteConnectionConfigImpl;
import org.apache.calcite.config.CalciteConnectionProperty;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.prepare.CalciteCatalogReader;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeSystemImpl;
import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.runtime.CalciteException;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.type.SqlTypeFactoryImpl;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlConformanceEnum;
import org.apache.calcite.sql.validate.SqlValidator;
import org.jspecify.annotations.Nullable;

/** Validation of a query: its names and types against the tables' columns. */
public final class CheckedQuery {
    /** The validator adds no casts: a comparison of a text with a number is refused. */
    private static final SqlValidator.Config VALIDATOR = SqlValidator.Config.DEFAULT
            .withCallRewrite(false)
            .withTypeCoercionEnabled(false)
            .withConformance(SqlConformanceEnum.LENIENT);

    private CheckedQuery() {}

    /**
     * Returns the validated tree. Fails with INVALID_ARGUMENT or UNSUPPORTED, with line and column. The map must have every table of the
     * query, by its name there.
     */
    public static SqlNode validate(Map<String, ColumnSchema> tables, ParsedQuery query) {
        return visit(tables, query, ComparisonTypeChecker::new);
    }

    /** Validates the query and applies another visitor, which may use the validator's types. */
    public static SqlNode visit(
            Map<String, ColumnSchema> tables,
            ParsedQuery query,
            Function<SqlValidator, SqlBasicVisitor<@Nullable Void>> visitor) {
        try {
            SqlValidator validator = validator(tables);
            SqlNode checked = validator.validate(query.tree());
            checked.accept(visitor.apply(validator));
            return checked;
        } catch (CalciteContextException e) {
            throw SqlErrorFactory.wrong(e);
        } catch (CalciteException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, SqlErrorFactory.plainMessage(e), e);
        } catch (IllegalArgumentException e) {
            throw SqlErrorFactory.invalidLiteral(e);
        } catch (StackOverflowError e) {
            throw SqlErrorFactory.tooDeep(e);
        }
    }

    private static SqlValidator validator(Map<String, ColumnSchema> tables) {
        SqlTypeFactoryImpl types = new SqlTypeFactoryImpl(new WideDecimalTypes());
        CalciteSchema schema = CalciteSchema.createRootSchema(false, false);
        tables.forEach((name, columns) -> schema.add(name, new TypedTable(columns)));
        Properties properties = new Properties();
        properties.setProperty(CalciteConnectionProperty.CASE_SENSITIVE.camelName(), "false");
        CalciteCatalogReader names =
                new CalciteCatalogReader(schema, List.of(), types, new CalciteConnectionConfigImpl(properties));
        return new ColumnFirstValidator(FunctionCatalog.all(), names, types, VALIDATOR);
    }

    private static RelDataType type(RelDataTypeFactory factory, ColumnSchema columns, Column column) {
        RelDataType type = switch (column.type().kind()) {
            case BIGINT -> factory.createSqlType(SqlTypeName.BIGINT);
            case INTEGER -> factory.createSqlType(SqlTypeName.INTEGER);
            case DOUBLE -> factory.createSqlType(SqlTypeName.DOUBLE);
            case DECIMAL ->
                factory.createSqlType(
                        SqlTypeName.DECIMAL,
                        column.type().precision(),
                        column.type().scale());
            case VARCHAR -> factory.createSqlType(SqlTypeName.VARCHAR);
            case DATE -> factory.createSqlType(SqlTypeName.DATE);
            case BOOLEAN -> factory.createSqlType(SqlTypeName.BOOLEAN);
        };
        return factory.createTypeWithNullability(type, !columns.primaryKey().contains(column.name()));
    }

    /** Calcite's view of a table: its columns. */
    private static final class TypedTable extends AbstractTable {
        private final ColumnSchema columns;

        TypedTable(ColumnSchema columns) {
            this.columns = columns;
        }

        @Override
        public RelDataType getRowType(RelDataTypeFactory factory) {
            RelDataTypeFactory.Builder row = factory.builder();
            columns.columns().forEach(column -> row.add(column.name(), type(factory, columns, column)));
            return row.build();
        }
    }

    /** Type system with decimals of 38 digits, as in the engines. */
    private static final class WideDecimalTypes extends RelDataTypeSystemImpl {
        @Override
        public int getMaxPrecision(SqlTypeName type) {
            return type == SqlTypeName.DECIMAL ? ColumnType.PRECISION_MAX : super.getMaxPrecision(type);
        }

        @Override
        public int getMaxScale(SqlTypeName type) {
            return type == SqlTypeName.DECIMAL ? ColumnType.PRECISION_MAX : super.getMaxScale(type);
        }
    }
}
