package io.uniserve.sql;

import java.util.function.UnaryOperator;

/**
 * Standard deviations and variances. An actor answers how many values there are, their mean and their variance; the merge
 * adds up the squares of distances from the mean of all, as Chan, Golub and LeVeque do. No large squares are subtracted.
 */
final class Spreads {
    private Spreads() {}

    /**
     * One of these over the actors' answers.
     *
     * @param column gives the column of the answers with an expression
     */
    static String merged(String name, String value, UnaryOperator<String> column) {
        String number = "CAST(" + value + " AS DOUBLE)";
        String count = column.apply("count(" + value + ")");
        String mean = column.apply("favg(" + number + ")");
        String variance = column.apply("var_pop(" + number + ")");
        String all = "sum(" + count + ")";
        String apart = "(p.m - sum(" + count + " * " + mean + ") / " + all + ")";
        String squares = "list_sum(list_transform(list({'n': " + count + ", 'm': " + mean + ", 'v': " + variance
                + "}), lambda p: p.n * (p.v + " + apart + " * " + apart + ")))";
        boolean population = name.endsWith("_POP");
        String divided = squares + " / " + (population ? all : "(" + all + " - 1)");
        String result = name.startsWith("STDDEV") ? "sqrt(" + divided + ")" : divided;
        // The engine's own fails of more than one value with an infinite one, or beyond what a double can be.
        String finite = "list_transform([" + result + "], lambda r: CASE WHEN isnan(r) OR isinf(r) THEN"
                + " error('aggregate " + name + " is out of range') ELSE r END)[1]";
        return "(CASE WHEN " + all + " > 1 THEN " + finite
                + (population ? " WHEN " + all + " = 1 THEN CAST(0 AS DOUBLE)" : "") + " END)";
    }
}
