package io.uniserve.sql.parse;

import org.apache.calcite.sql.SqlCallBinding;
import org.apache.calcite.sql.SqlOperandCountRange;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.SqlOperandCountRanges;
import org.apache.calcite.sql.type.SqlOperandTypeChecker;

/** Operand check: a text, a separator and values of any type. */
final class TextFirstTypeChecker implements SqlOperandTypeChecker {
    @Override
    public boolean checkOperandTypes(SqlCallBinding call, boolean throwOnFailure) {
        return OperandTypes.CHARACTER.checkSingleOperandType(call, call.operand(0), 0, throwOnFailure);
    }

    @Override
    public SqlOperandCountRange getOperandCountRange() {
        return SqlOperandCountRanges.from(1);
    }

    @Override
    public String getAllowedSignatures(SqlOperator operator, String name) {
        return name + "(<CHARACTER>, <CHARACTER>)";
    }
}
