package io.uniserve.protocol.reader;

/** What all queries and updates of one client share. Safe for use by several threads. */
public record ClientState(
        ReaderSettings settings,
        RoutingPolicy policy,
        ServerHealth health,
        LatencyTrackers latencies,
        HedgeBudget hedges,
        SessionFloors floors) {
    /** Fresh state. */
    public static ClientState of(ReaderSettings settings, RoutingPolicy policy) {
        return new ClientState(
                settings,
                policy,
                new ServerHealth(settings),
                new LatencyTrackers(),
                new HedgeBudget(settings.hedgePermille()),
                new SessionFloors());
    }

    /** The same state for queries of another client, who has floors of its own. */
    public ClientState with(SessionFloors others) {
        return new ClientState(settings, policy, health, latencies, hedges, others);
    }
}
