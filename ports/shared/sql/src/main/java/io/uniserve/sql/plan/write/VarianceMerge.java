package io.uniserve.sql.plan.write;

/**
 * Distributed standard deviations and variances. An actor returns the count, mean and variance of its values. The merge adds the squared
 * distances of the means from one of them (Chan, Golub and LeVeque). Squares of the values themselves would lose all digits of values that
 * are far from zero.
 */
final class VarianceMerge {
    private VarianceMerge() {}

    /** Returns one of these aggregates over the actors' answers. */
    static String mergeExpression(String name, String value, PartialAggregation partialAggregation, String table) {
        String number = "CAST(" + value + " AS DOUBLE)";
        String count = table + partialAggregation.column("count(" + value + ")");
        String mean = partialAggregation.column("favg(" + number + ")");
        String variance = table + partialAggregation.column("var_pop(" + number + ")");
        String all = "sum(" + count + ")";
        String apart = "(" + table + mean + " - " + table + partialAggregation.minimumOf(mean) + ")";
        String sum = "sum(" + count + " * " + apart + ")";
        String squares = "(sum(" + count + " * (" + variance + " + " + apart + " * " + apart + ")) - " + sum + " * "
                + sum + " / " + all + ")";
        boolean population = name.endsWith("_POP");
        String divided = "greatest(" + squares + ", 0) / " + (population ? all : "(" + all + " - 1)");
        String result = name.startsWith("STDDEV") ? "sqrt(" + divided + ")" : divided;
        // As in DuckDB: an error if there is more than one value and a value or the result is infinite.
        return "(CASE WHEN " + all + " > 1 THEN CASE WHEN isfinite(" + squares + ") THEN " + result
                + " ELSE error('aggregate " + name + " is out of range') END"
                + (population ? " WHEN " + all + " = 1 THEN CAST(0 AS DOUBLE)" : "") + " END)";
    }
}
