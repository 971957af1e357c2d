package io.uniserve.protocol.client.query;

import io.uniserve.codec.Bytes;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.routing.ColocatedTables;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * One read of actors of a table by an operator.
 *
 * @param actors distinct actors to read; empty for all of the table
 * @param operator {@code name@version}
 * @param deadlineNanos deadline by the machine's clock
 * @param preferredAddresses preferred address per actor, if a replica is there
 * @param colocated other tables with the same partitioner; the operator also reads their actors on the same server
 * @param stableReplicas true if all queries of the client use the same replicas while these are alive, because answers may differ between
 *     replicas
 * @param choice choice of the actors by the newest map, for a TIME table that gets chunks while the query runs; empty if {@code actors} is
 *     final
 */
public record Query(
        TableName table,
        Optional<List<Integer>> actors,
        String operator,
        Bytes parameters,
        ReadMode mode,
        long deadlineNanos,
        Map<Integer, Address> preferredAddresses,
        ColocatedTables colocated,
        boolean stableReplicas,
        Optional<Function<TableRoute, List<Integer>>> choice) {
    public Query {
        actors = actors.map(List::copyOf);
        preferredAddresses = preferredAddresses.isEmpty()
                ? Map.of()
                : Collections.unmodifiableMap(new TreeMap<>(preferredAddresses));
    }

    /** A query with an answer that does not depend on the replica. */
    public Query(
            TableName table,
            Optional<List<Integer>> actors,
            String operator,
            Bytes parameters,
            ReadMode mode,
            long deadlineNanos,
            Map<Integer, Address> near,
            ColocatedTables beside) {
        this(table, actors, operator, parameters, mode, deadlineNanos, near, beside, false, Optional.empty());
    }

    /** The same query, with or without a fixed choice of replicas. */
    public Query withStableReplicas(boolean same) {
        return same == stableReplicas
                ? this
                : new Query(
                        table,
                        actors,
                        operator,
                        parameters,
                        mode,
                        deadlineNanos,
                        preferredAddresses,
                        colocated,
                        same,
                        choice);
    }

    /** The same query of the actors that this function returns for the newest map of the table. */
    public Query withChoice(Function<TableRoute, List<Integer>> function) {
        return new Query(
                table,
                actors,
                operator,
                parameters,
                mode,
                deadlineNanos,
                preferredAddresses,
                colocated,
                stableReplicas,
                Optional.of(function));
    }

    /** A query without preferred addresses. */
    public Query(
            TableName table,
            Optional<List<Integer>> actors,
            String operator,
            Bytes parameters,
            ReadMode mode,
            long deadlineNanos) {
        this(table, actors, operator, parameters, mode, deadlineNanos, Map.of());
    }

    /** A query without other tables. */
    public Query(
            TableName table,
            Optional<List<Integer>> actors,
            String operator,
            Bytes parameters,
            ReadMode mode,
            long deadlineNanos,
            Map<Integer, Address> near) {
        this(table, actors, operator, parameters, mode, deadlineNanos, near, ColocatedTables.NONE);
    }
}
