package io.uniserve.sql;

import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The SQL of a port's engine, as far as it differs from DuckDB's, in which this module writes statements. A port gives its dialect
 * to the {@link SqlPlanner}, and runs no statement of an {@link SqlQuery.Work} or of {@link SqlPlanner.Merging} as it is, but what
 * {@link #statement} makes of it. Each method writes one kind of part, by default as DuckDB has it; arguments of calls are written
 * already. Thread-safe; the same part is always written in the same way.
 */
public interface SqlDialect {
    /** DuckDB's own: every statement stays as it is. */
    SqlDialect DUCKDB = new SqlDialect() {
        @Override
        public String translated(Set<String> relations, String statement) {
            return statement;
        }
    };

    /** Functions and parts of SQL that the engine lacks, or has otherwise. Queries with these are UNSUPPORTED before they run. */
    default UnsupportedFeatures unable() {
        return UnsupportedFeatures.NOTHING;
    }

    /**
     * The name of a table's column.
     *
     * @param name without quotes
     */
    default String columnName(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }

    /**
     * A name that this module gives: of a relation, such as {@code rows} (the actor's own), {@code parts} or {@code b0}, or of a
     * relation's column, such as {@code c0}. It is written without quotes, and is to be changed where it is a word of the engine's.
     */
    default String givenName(String name) {
        return name;
    }

    /** A text constant, of any characters. */
    default String text(String value) {
        return SqlWriter.quoted(value);
    }

    /** A constant of the years 1 to 9999. */
    default String date(LocalDate value) {
        return "DATE '" + value + "'";
    }

    /**
     * An interval that a date is added to, or a date before it.
     *
     * @param unit DAY, MONTH or YEAR
     */
    default String interval(long amount, String unit) {
        return "INTERVAL '" + amount + "' " + unit;
    }

    /**
     * The type of a CAST.
     *
     * @param type BIGINT, INTEGER, DOUBLE, DATE, VARCHAR, or {@code DECIMAL(p, s)}
     */
    default String type(String type) {
        return type;
    }

    /**
     * A call of a function or an aggregate.
     *
     * @param function as the statement has it: names of {@link Functions#answered}, {@code LENGTH} for CHAR_LENGTH, and
     *     {@code error}, which fails with a text and has the type of what it stands beside
     * @param arguments in this dialect. That of EXTRACT is {@code YEAR FROM x}, that of TRIM {@code BOTH ' ' FROM x}; the first of
     *     an aggregate may begin with {@code DISTINCT }
     */
    default String call(String function, List<String> arguments) {
        return function + arguments.stream().collect(Collectors.joining(", ", "(", ")"));
    }

    /**
     * Changes the forms of a whole statement, all of whose parts are in this dialect.
     *
     * @param relations names of what the statement may read
     */
    default String rewritten(Set<String> relations, String statement) {
        return statement;
    }

    /**
     * A statement in this dialect, without what it reads.
     *
     * @param relations names of what the statement may read
     * @param statement as this module wrote it
     */
    default String translated(Set<String> relations, String statement) {
        return rewritten(relations, new DialectWriter(this, statement).written());
    }

    /**
     * The statement for the engine, behind a WITH that gives relations their names.
     *
     * @param relations the engine's own queries for them, by names in this dialect
     * @param statement as this module wrote it
     */
    default String statement(Map<String, String> relations, String statement) {
        String with = relations.entrySet().stream()
                .map(one -> one.getKey() + " AS (" + one.getValue() + ")")
                .collect(Collectors.joining(", "));
        return (with.isEmpty() ? "" : "WITH " + with + " ") + translated(relations.keySet(), statement);
    }
}
