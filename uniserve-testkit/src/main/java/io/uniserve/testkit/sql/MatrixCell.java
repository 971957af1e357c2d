package io.uniserve.testkit.sql;

import java.util.regex.Pattern;

/**
 * Statement of the matrix.
 *
 * @param table the table that FROM names first
 * @param sql the statement, for the port and for the reference alike
 * @param wider the same statement in wider types; the reference runs it where {@code sql} overflows there. Empty for none
 */
public record MatrixCell(String table, String sql, String wider) {
    private static final Pattern CONSTANTS = Pattern.compile("([-+*] \\d+,? ?){2}");

    /** Whether rows have an order. */
    boolean ordered() {
        return sql.contains(" ORDER BY ");
    }

    /** Whether the last digits of doubles depend on the order of additions and products, or on how a quotient is rounded. */
    boolean approximate() {
        return sql.contains("sum(")
                || sql.contains("avg(")
                || CONSTANTS.matcher(sql).find();
    }
}
