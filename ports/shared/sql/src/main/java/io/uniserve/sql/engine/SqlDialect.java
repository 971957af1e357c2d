package io.uniserve.sql.engine;

import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * SQL dialect of a port's engine, as its differences from DuckDB's SQL, which the planner writes. A port passes its dialect to the {@code
 * SqlPlanner}. It must run the result of {@link #statement} instead of the original statement of a {@link ActorStatement} or of {@link
 * MergingEngine}. Each method writes one kind of part and defaults to DuckDB's form; arguments of calls are already translated.
 * Implementations are thread-safe and deterministic.
 */
public interface SqlDialect {
    /** DuckDB's own dialect: every statement is unchanged. */
    SqlDialect DUCKDB = new SqlDialect() {
        @Override
        public String translate(Set<String> relations, String statement) {
            return statement;
        }
    };

    /**
     * Returns the functions and parts of SQL that the engine lacks or has in another form. Queries with these fail with UNSUPPORTED before
     * they run.
     */
    default UnsupportedFeatures unsupportedFeatures() {
        return UnsupportedFeatures.NONE;
    }

    /**
     * Writes the name of a table's column.
     *
     * @param name without quotes
     */
    default String columnName(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }

    /**
     * Writes a name given by this module: of a relation, such as {@code rows} (the actor's own), {@code parts} or {@code b0}, or of a
     * relation's column, such as {@code c0}. It is written without quotes. Change it if it is a reserved word of the engine.
     */
    default String relationName(String name) {
        return name;
    }

    /** Writes a text constant of any characters. */
    default String textLiteral(String value) {
        return "'" + value.replace("'", "''") + "'";
    }

    /** Writes a date constant of the years 1 to 9999. */
    default String dateLiteral(LocalDate value) {
        return "DATE '" + value + "'";
    }

    /**
     * Writes an interval that is added to a date or subtracted from one.
     *
     * @param unit DAY, MONTH or YEAR
     */
    default String intervalLiteral(long amount, String unit) {
        return "INTERVAL '" + amount + "' " + unit;
    }

    /**
     * Writes the type of a CAST.
     *
     * @param type BIGINT, INTEGER, DOUBLE, DATE, VARCHAR, or {@code DECIMAL(p, s)}
     */
    default String typeName(String type) {
        return type;
    }

    /**
     * Writes a call of a function or an aggregate.
     *
     * @param function as the statement has it: names of {@code Functions.answered}, {@code LENGTH} for CHAR_LENGTH, and {@code error},
     *     which fails with a text and has the type of the other branch
     * @param arguments in this dialect. That of EXTRACT is {@code YEAR FROM x}, that of TRIM {@code BOTH ' ' FROM x}; the first of an
     *     aggregate may start with {@code DISTINCT }
     */
    default String functionCall(String function, List<String> arguments) {
        return function + arguments.stream().collect(Collectors.joining(", ", "(", ")"));
    }

    /**
     * Rewrites a whole statement whose parts are already in this dialect.
     *
     * @param relations names of the relations that the statement may read
     */
    default String rewrite(Set<String> relations, String statement) {
        return statement;
    }

    /**
     * Translates a statement, without the definitions of its relations.
     *
     * @param relations names of the relations that the statement may read
     * @param statement as this module wrote it
     */
    default String translate(Set<String> relations, String statement) {
        return rewrite(relations, new DialectWriter(this, statement).written());
    }

    /**
     * Returns the statement for the engine, after a WITH that defines its relations.
     *
     * @param relations the engine's own queries for them, by names in this dialect
     * @param statement as this module wrote it
     */
    default String statement(Map<String, String> relations, String statement) {
        String with = relations.entrySet().stream()
                .map(one -> one.getKey() + " AS (" + one.getValue() + ")")
                .collect(Collectors.joining(", "));
        return (with.isEmpty() ? "" : "WITH " + with + " ") + translate(relations.keySet(), statement);
    }
}
