package io.uniserve.sql.engine;

/**
 * Names of relations and columns in the statements that the planner writes. A relation is the actor's own table, rows of another table, or
 * an answer of a stage.
 */
public final class StatementNaming {
    /** Name of an actor's table. */
    public static final String ROWS = "rows";

    /** Name of the table that has the actors' answers. */
    public static final String PARTS = "parts";

    /** Column of a scattered row that has its slot. */
    public static final String SLOT = "s";

    /** Name of a sub-query's answer in a statement that reads only that. */
    public static final String GIVEN = "g";

    /** Column that identifies rows that were joined into one; no table has such a column name. */
    public static final String PAIR = "\"#\"";

    private StatementNaming() {}

    /** Returns the name of a side's rows. */
    public static String side(int item) {
        return "b" + item;
    }

    /** Returns the name of a stage's answer. */
    public static String given(int block) {
        return "q" + block;
    }

    /** True if a statement reads the answer of a stage. A text constant that looks like it gives a false positive. */
    public static boolean reads(String statement, int block) {
        return statement.contains(given(block) + " AS ");
    }
}
