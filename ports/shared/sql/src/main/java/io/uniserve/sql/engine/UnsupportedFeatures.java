package io.uniserve.sql.engine;

import io.uniserve.error.UniserveException;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.calcite.sql.SqlNode;

/**
 * Features of the planner that one engine lacks. They are rejected when the query is planned, with line and column. An actor gets
 * statements only, and cannot report the place in the query.
 *
 * @param engine its name, for messages
 * @param parts the parts of queries that it lacks
 * @param functions those of {@code Functions.answered} that it lacks or has in another form
 * @param unsupportedJoin true for statements over an actor's rows and those of other tables whose equalities it does not support
 */
public record UnsupportedFeatures(
        String engine, Set<Part> parts, Set<String> functions, Predicate<String> unsupportedJoin) {
    /** For an engine that supports everything. */
    public static final UnsupportedFeatures NONE = new UnsupportedFeatures("", Set.of(), Set.of(), statement -> false);

    /** Part of a query. */
    public enum Part {
        /** A sub-query that is a stage of its own: in an expression, or in FROM or WITH if it does more than select rows. */
        SUB_QUERY,
        /** TRIM in any form. */
        TRIM,
        /** A backslash in a constant. */
        BACKSLASH,
        /** CAST of a date to a text. */
        DATE_CAST,
        /** CAST of a double to a text, or to a whole number unless it is rounded already. */
        DOUBLE_CAST,
        /** ROUND of a bigint, or FLOOR or CEIL of a decimal, that may have more than the 15 digits that a double can hold. */
        LONG_ROUND,
        /** A computed double that may be minus zero, in GROUP BY, DISTINCT or an equality of two tables. */
        MINUS_ZERO,
        /** The largest whole number of 64 bits. */
        LARGEST_NUMBER,
        /** The days between two dates. */
        DATE_DIFFERENCE,
        /** Several constants in one sum or product that overflow together. */
        CONSTANTS
    }

    public UnsupportedFeatures {
        parts = Set.copyOf(parts);
        functions = Set.copyOf(functions);
    }

    /** Returns the error for a part of a query. */
    public UniserveException unsupported(SqlNode place, String what) {
        return SqlErrorFactory.unsupported(place, what + " on " + engine + " is");
    }
}
