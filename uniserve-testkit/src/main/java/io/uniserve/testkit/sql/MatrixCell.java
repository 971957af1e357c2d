package io.uniserve.testkit.sql;

import java.util.regex.Pattern;

/**
 * Statement of the matrix.
 *
 * @param table the first table in FROM
 * @param sql the statement, for the port and the reference
 * @param wider the same statement with wider types, which the reference runs if {@code sql} overflows there; empty for none
 */
public record MatrixCell(String table, String sql, String wider) {
    private static final Pattern CONSTANTS = Pattern.compile("([-+*] \\d+,? ?){2}");

    /** True if the rows of the answer have an order. */
    boolean isOrdered() {
        return sql.contains(" ORDER BY ");
    }

    /** True if the last digits of doubles depend on the order of additions and products, or on the rounding of a quotient. */
    boolean isApproximate() {
        return sql.contains("sum(")
                || sql.contains("avg(")
                || CONSTANTS.matcher(sql).find();
    }
}
