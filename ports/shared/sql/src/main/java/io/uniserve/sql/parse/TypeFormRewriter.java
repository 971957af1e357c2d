package io.uniserve.sql.parse;

import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUserDefinedTypeNameSpec;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/**
 * Rewrite of type forms that the engine has but the validator lacks, as in DuckDB: a bare NULL in SELECT is an INTEGER, TEXT and STRING are
 * VARCHAR, and {@code value::type} is CAST.
 */
final class TypeFormRewriter extends SqlShuttle {
    private static final Set<String> TEXTS = Set.of("TEXT", "STRING");

    private TypeFormRewriter() {}

    static SqlNode withTypes(SqlNode tree) {
        SqlNode typed = tree.accept(new TypeFormRewriter());
        return typed == null ? tree : typed;
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        SqlNode inside = super.visit(call);
        if (inside instanceof SqlSelect select) {
            SqlNodeList items = select.getSelectList();
            List<SqlNode> typed = new ArrayList<>(); // modifiable, as the validator changes it
            items.forEach(item -> typed.add(item(item)));
            select.setSelectList(new SqlNodeList(typed, items.getParserPosition()));
        }
        if (inside instanceof SqlCall infix && infix.getOperator().equals(SqlLibraryOperators.INFIX_CAST)) {
            if (infix.operand(0) instanceof SqlNodeList list) {
                throw SqlErrorFactory.invalid(
                        list, "a list of values cannot be cast; put parentheses around the value before ::");
            }
            return SqlStdOperatorTable.CAST.createCall(infix.getParserPosition(), infix.getOperandList());
        }
        return inside;
    }

    @Override
    public @Nullable SqlNode visit(SqlDataTypeSpec type) {
        boolean text = type.getTypeNameSpec() instanceof SqlUserDefinedTypeNameSpec
                && TEXTS.contains(type.toString().replace("`", "").toUpperCase(Locale.ROOT));
        return text ? ofType(SqlTypeName.VARCHAR, type.getParserPosition()) : type;
    }

    private static SqlDataTypeSpec ofType(SqlTypeName name, SqlParserPos place) {
        return new SqlDataTypeSpec(new SqlBasicTypeNameSpec(name, place), place);
    }

    private static SqlNode item(SqlNode item) {
        if (item.getKind() == SqlKind.AS && item instanceof SqlCall as && SqlUtil.isNullLiteral(as.operand(0), false)) {
            return SqlStdOperatorTable.AS.createCall(item.getParserPosition(), cast(as.operand(0)), as.operand(1));
        }
        return SqlUtil.isNullLiteral(item, false) ? cast(item) : item;
    }

    private static SqlNode cast(SqlNode nothing) {
        SqlParserPos place = nothing.getParserPosition();
        return SqlStdOperatorTable.CAST.createCall(place, nothing, ofType(SqlTypeName.INTEGER, place));
    }
}
