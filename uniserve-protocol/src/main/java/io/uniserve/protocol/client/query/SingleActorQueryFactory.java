package io.uniserve.protocol.client.query;

import io.uniserve.api.plan.QueryText;
import io.uniserve.api.plan.WholeQueryOperator;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Queries in an engine's language that need no plan: those of one actor, if all servers with the port offer the same operator for whole
 * queries. Such a query is one read of that actor, with the replicas, retries and hedges of a read.
 */
public final class SingleActorQueryFactory {
    private SingleActorQueryFactory() {}

    /** The read that answers the query; empty if a server must plan it. */
    public static Optional<Query> of(RouteIndex index, QueryText query, long deadlineNanos) {
        return of(index, query, ReadMode.LINEARIZABLE, deadlineNanos);
    }

    /** The same in another mode. */
    public static Optional<Query> of(RouteIndex index, QueryText query, ReadMode mode, long deadlineNanos) {
        Optional<TableRoute> route = index.table(query.table());
        if (route.isEmpty()) {
            return Optional.empty();
        }
        boolean all = query.actors().isEmpty();
        int count = all ? route.get().map().actors().size() : query.actors().size();
        Optional<String> operator =
                count == 1 ? operator(index, route.get().meta().port()) : Optional.empty();
        if (operator.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Query(
                query.table(),
                Optional.of(all ? route.get().map().numbers() : query.actors()),
                operator.get(),
                WholeQueryOperator.call(operator.get()).parameters().encode(query.text()),
                mode,
                deadlineNanos));
    }

    private static Optional<String> operator(RouteIndex index, String port) {
        Set<Optional<String>> offered = index.routing().servers().stream()
                .flatMap(server -> server.ports().stream())
                .filter(info -> info.name().equals(port))
                .map(PortInfo::wholeQueryOperator)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        return offered.size() == 1 ? offered.iterator().next() : Optional.empty();
    }
}
