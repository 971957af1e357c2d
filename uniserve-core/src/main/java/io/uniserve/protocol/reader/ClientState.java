package io.uniserve.protocol.reader;

/**
 * What all queries and updates of one client share. Safe for use by several threads.
 *
 * @param copies the client's own number, by which it chooses the copies of {@linkplain Query#sameCopies() queries that ask the
 *     same ones}; 0 where it has none
 */
public record ClientState(
        RequestSettings settings,
        RoutingPolicy policy,
        ServerHealth health,
        LatencyTrackers latencies,
        HedgeBudget hedges,
        SessionWatermarks floors,
        long copies) {
    /** Fresh state of a client without a number. */
    public static ClientState of(RequestSettings settings, RoutingPolicy policy) {
        return of(settings, policy, 0);
    }

    /** Fresh state of a client of this number, drawn at random. */
    public static ClientState of(RequestSettings settings, RoutingPolicy policy, long copies) {
        return new ClientState(
                settings,
                policy,
                new ServerHealth(settings),
                new LatencyTrackers(),
                new HedgeBudget(settings.hedgePermille()),
                new SessionWatermarks(),
                copies);
    }

    /** The same state for queries of another client, who has floors and a number of its own. */
    public ClientState with(SessionWatermarks others, long otherCopies) {
        return new ClientState(settings, policy, health, latencies, hedges, others, otherCopies);
    }
}
