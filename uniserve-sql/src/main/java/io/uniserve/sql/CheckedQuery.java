package io.uniserve.sql;

import io.uniserve.api.ColumnType;
import io.uniserve.api.Columns;
import io.uniserve.api.Columns.Column;
import io.uniserve.error.UniserveException;
import java.util.List;
import java.util.Properties;
import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.config.CalciteConnectionConfigImpl;
import org.apache.calcite.config.CalciteConnectionProperty;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.prepare.CalciteCatalogReader;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeSystemImpl;
import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.type.SqlTypeFactoryImpl;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlConformanceEnum;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorUtil;

/** A query's text as a tree whose names and types are right for the table it is asked of. */
final class CheckedQuery {
    /** A longer text is refused: no person writes one, and its tree would be too deep. */
    static final int TEXT_CHARS_MAX = 65_536;

    private static final SqlParser.Config PARSER = SqlParser.config()
            .withUnquotedCasing(Casing.UNCHANGED)
            .withCaseSensitive(false)
            .withConformance(SqlConformanceEnum.BABEL);

    /** No casts are put in: what compares a text with a number is refused, not guessed. */
    private static final SqlValidator.Config VALIDATOR = SqlValidator.Config.DEFAULT
            .withCallRewrite(false)
            .withTypeCoercionEnabled(false)
            .withConformance(SqlConformanceEnum.LENIENT);

    private CheckedQuery() {}

    /** Refuses with INVALID_ARGUMENT or UNSUPPORTED, by line and column. */
    static SqlSelect of(String table, Columns columns, String text) {
        if (text.length() > TEXT_CHARS_MAX) {
            throw UniserveException.invalid("query has " + text.length() + " characters, at most " + TEXT_CHARS_MAX);
        }
        if (text.isBlank()) {
            throw UniserveException.invalid("query is empty; use SELECT ... FROM " + table);
        }
        try {
            SqlNode tree = SqlParser.create(text, PARSER).parseQuery();
            checkShape(table, tree instanceof SqlOrderBy ordered ? ordered.query : tree);
            SqlValidator validator = validator(table, columns);
            SqlNode checked = validator.validate(tree);
            if (checked instanceof SqlSelect select) {
                select.accept(new Comparisons(validator));
                return select;
            }
            throw SqlErrors.unsupported(checked, "a query that is no SELECT is");
        } catch (SqlParseException e) {
            throw SqlErrors.syntax(e);
        } catch (CalciteContextException e) {
            throw SqlErrors.wrong(e);
        } catch (StackOverflowError e) {
            throw SqlErrors.tooDeep(e);
        }
    }

    /** One table and nothing else: checked first, since the validator would only say that it does not know other names. */
    private static void checkShape(String table, SqlNode tree) {
        if (!(tree instanceof SqlSelect select)) {
            throw SqlErrors.unsupported(tree, tree.getKind() + " is");
        }
        SqlNode from = select.getFrom();
        if (from == null) {
            throw SqlErrors.invalid(select, "the query has no FROM; use FROM " + table);
        }
        if (from.getKind() == SqlKind.AS && from instanceof SqlCall as) {
            if (as.operandCount() > 2) {
                throw SqlErrors.unsupported(from, "a table's alias with names of columns is");
            }
            from = as.operand(0);
        }
        if (!(from instanceof SqlIdentifier name)) {
            throw SqlErrors.unsupported(from, "a FROM with more than one table, or with a query, is");
        }
        if (!name.isSimple() || !name.getSimple().equalsIgnoreCase(table)) {
            throw SqlErrors.invalid(name, "the query is asked of table " + table + ", and FROM names " + name);
        }
        if (!select.getWindowList().isEmpty() || select.getQualify() != null) {
            throw SqlErrors.unsupported(select, "WINDOW or QUALIFY is");
        }
    }

    private static SqlValidator validator(String table, Columns columns) {
        SqlTypeFactoryImpl types = new SqlTypeFactoryImpl(new Wide());
        CalciteSchema schema = CalciteSchema.createRootSchema(false, false);
        schema.add(table, new AbstractTable() {
            @Override
            public RelDataType getRowType(RelDataTypeFactory factory) {
                RelDataTypeFactory.Builder row = factory.builder();
                columns.columns().forEach(column -> row.add(column.name(), type(factory, columns, column)));
                return row.build();
            }
        });
        Properties properties = new Properties();
        properties.setProperty(CalciteConnectionProperty.CASE_SENSITIVE.camelName(), "false");
        CalciteCatalogReader names =
                new CalciteCatalogReader(schema, List.of(), types, new CalciteConnectionConfigImpl(properties));
        return SqlValidatorUtil.newValidator(SqlStdOperatorTable.instance(), names, types, VALIDATOR);
    }

    private static RelDataType type(RelDataTypeFactory factory, Columns columns, Column column) {
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
        return factory.createTypeWithNullability(type, !columns.primary().contains(column.name()));
    }

    /** Decimals of 38 digits, as the engines have them. */
    private static final class Wide extends RelDataTypeSystemImpl {
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
