package io.uniserve.sql.parse;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperatorTable;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.SelectScope;
import org.apache.calcite.sql.validate.SqlNameMatchers;
import org.apache.calcite.sql.validate.SqlValidatorCatalogReader;
import org.apache.calcite.sql.validate.SqlValidatorImpl;
import org.apache.calcite.util.Static;
import org.jspecify.annotations.Nullable;

/**
 * Validator that resolves names in GROUP BY as in the SQL standard and DuckDB: a column of FROM comes before an alias of SELECT. In HAVING
 * it does so for columns that are grouped by. Calcite's own validator prefers the alias, which results in other groups.
 */
final class ColumnFirstValidator extends SqlValidatorImpl {
    ColumnFirstValidator(
            SqlOperatorTable operators, SqlValidatorCatalogReader names, RelDataTypeFactory types, Config config) {
        super(operators, names, types, config);
    }

    @Override
    protected void validateGroupClause(SqlSelect select) {
        SqlNodeList groups = select.getGroup();
        if (groups != null) {
            Qualifying all = new Qualifying(select, column -> true);
            List<SqlNode> qualified = new ArrayList<>();
            groups.forEach(group -> qualified.add(all.qualify(group)));
            select.setGroupBy(new SqlNodeList(qualified, groups.getParserPosition()));
        }
        super.validateGroupClause(select);
    }

    @Override
    protected void validateHavingClause(SqlSelect select) {
        SqlNode having = select.getHaving();
        SqlNodeList groups = select.getGroup();
        if (having != null && groups != null) {
            select.setHaving(new Qualifying(select, column -> isGroup(groups, column)).qualify(having));
        }
        super.validateHavingClause(select);
    }

    private static boolean isGroup(SqlNodeList groups, SqlIdentifier column) {
        return groups.stream()
                .anyMatch(group -> group instanceof SqlIdentifier name
                        && same(SqlNodeUtils.last(name), SqlNodeUtils.last(column))
                        && (name.isSimple() || same(name.names.get(0), column.names.get(0))));
    }

    private static boolean same(String one, String other) {
        return one.equalsIgnoreCase(other);
    }

    /** Qualifies columns that share their name with an alias of SELECT. It does not enter sub-queries, which have a scope of their own. */
    private final class Qualifying extends SqlShuttle {
        private final SqlSelect select;
        private final Predicate<SqlIdentifier> wanted;

        Qualifying(SqlSelect select, Predicate<SqlIdentifier> wanted) {
            this.select = select;
            this.wanted = wanted;
        }

        SqlNode qualify(SqlNode expression) {
            SqlNode qualified = expression.accept(this);
            return qualified == null ? expression : qualified;
        }

        @Override
        public @Nullable SqlNode visit(SqlCall call) {
            return SqlNodeUtils.isQuery(call) ? call : super.visit(call);
        }

        @Override
        public @Nullable SqlNode visit(SqlIdentifier name) {
            if (!name.isSimple() || select.getSelectList().stream().noneMatch(item -> isNamed(item, name))) {
                return name;
            }
            SelectScope from = getRawSelectScope(select);
            if (from == null) {
                return name;
            }
            long tables = from.getChildren().stream()
                    .filter(table -> table.getRowType().getField(name.getSimple(), false, false) != null)
                    .count();
            if (tables == 0) {
                return name; // the name of an alias only
            }
            List<String> aliases = List.copyOf(
                    from.findQualifyingTableNames(name.getSimple(), name, SqlNameMatchers.withCaseSensitive(false))
                            .keySet());
            if (tables > 1 || aliases.size() != 1) {
                throw newValidationError(name, Static.RESOURCE.columnAmbiguous(name.getSimple()));
            }
            SqlIdentifier column =
                    new SqlIdentifier(List.of(aliases.get(0), name.getSimple()), name.getParserPosition());
            return wanted.test(column) ? column : name;
        }

        private boolean isNamed(SqlNode item, SqlIdentifier name) {
            return item.getKind() == SqlKind.AS
                    && item instanceof SqlCall as
                    && as.operand(1) instanceof SqlIdentifier alias
                    && same(alias.getSimple(), name.getSimple());
        }
    }
}
