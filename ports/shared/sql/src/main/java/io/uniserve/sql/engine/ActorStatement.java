package io.uniserve.sql.engine;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.model.TableName;
import io.uniserve.sql.rows.PackedRows;
import io.uniserve.sql.rows.SqlRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Statement for the engine of one actor.
 *
 * @param statement over the actor's rows and the relations
 * @param relations by their names in the statement
 * @param once true if the text cannot recur, because it names files of this query
 */
public record ActorStatement(
        String statement, Map<String, PackedRows> relations, Map<String, Colocated> beside, boolean once) {
    /** Creates a statement that reads no other table. */
    public ActorStatement(String statement, Map<String, PackedRows> relations) {
        this(statement, relations, Map.of(), false);
    }

    /** True if the statement reads only the actor, so that the same text may recur. */
    public boolean recurs() {
        return !once && relations.isEmpty() && beside.isEmpty();
    }

    /**
     * Returns the statement with definitions of the co-located tables; empty if one of them is on another server.
     *
     * @param type the port's actor class
     * @param place returns the engine's name of such an actor's table, for FROM
     */
    public <A extends SqlActorView> Optional<String> statement(
            OperatorContext context, Class<A> type, Function<A, String> place) {
        List<String> with = new ArrayList<>();
        for (Map.Entry<String, Colocated> one : beside.entrySet()) {
            Optional<String> there = context.colocatedActor(one.getValue().table)
                    .filter(type::isInstance)
                    .map(type::cast)
                    .filter(actor -> actor.columns().equals(one.getValue().columns))
                    .map(place);
            if (there.isEmpty()) {
                return Optional.empty();
            }
            with.add(one.getKey() + " AS NOT MATERIALIZED ("
                    + one.getValue().statement.apply(there.get()) + ")");
        }
        return Optional.of(
                with.isEmpty() ? statement : "SELECT * FROM (WITH " + String.join(", ", with) + " " + statement + ")");
    }

    /** Returns the relations' rows. Fails with CORRUPT if they are damaged. */
    public Map<String, SqlRows> unpacked() {
        Map<String, SqlRows> rows = new TreeMap<>();
        relations.forEach((name, packed) -> rows.put(name, packed.unpack()));
        return rows;
    }

    /**
     * Co-located table that a statement reads.
     *
     * @param statement returns the statement, given the engine's name of the table
     */
    public record Colocated(TableName table, ColumnSchema columns, UnaryOperator<String> statement) {}
}
