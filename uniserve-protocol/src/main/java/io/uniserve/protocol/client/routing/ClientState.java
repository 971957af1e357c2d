package io.uniserve.protocol.client.routing;

import io.uniserve.protocol.client.query.Query;

/**
 * State that all queries and updates of one client share. Thread-safe.
 *
 * @param replicaSeed the client's own number, by which it chooses replicas for
 *     {@linkplain Query#stableReplicas() queries that always use the same ones}; 0 if it has none
 */
public record ClientState(
        RequestSettings settings,
        RoutingPolicy policy,
        ServerHealth health,
        LatencyTrackerRegistry latencies,
        HedgeBudget hedges,
        SessionWatermarks watermarks,
        long replicaSeed) {
    /** New state of a client without a number. */
    public static ClientState of(RequestSettings settings, RoutingPolicy policy) {
        return of(settings, policy, 0);
    }

    /** New state of a client with this random number. */
    public static ClientState of(RequestSettings settings, RoutingPolicy policy, long copies) {
        return new ClientState(
                settings,
                policy,
                new ServerHealth(settings),
                new LatencyTrackerRegistry(),
                new HedgeBudget(settings.hedgePermille()),
                new SessionWatermarks(),
                copies);
    }

    /** The same state for queries of another client, with watermarks and a number of its own. */
    public ClientState with(SessionWatermarks others, long otherCopies) {
        return new ClientState(settings, policy, health, latencies, hedges, others, otherCopies);
    }
}
