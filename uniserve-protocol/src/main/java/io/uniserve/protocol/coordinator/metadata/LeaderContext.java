package io.uniserve.protocol.coordinator.metadata;

import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.placement.PlacementPolicy;
import io.uniserve.protocol.RegistryConnectionMonitor;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.coordinator.election.FencedRegistry;
import java.util.List;

/** The leader's term as its operations see it: the metadata, the registry fenced by the term, and requests for another pass. */
public interface LeaderContext {
    CoordinatorConfig config();

    CoordinatorEnvironment env();

    PlacementPolicy placement();

    /** The registry; a write of it fails once another leader has a higher term. */
    FencedRegistry registry();

    CatalogManager catalog();

    MembershipManager members();

    ReplicaMonitor replicas();

    DroppedTableCleaner droppedTables();

    /** The last contact of this process with the registry. */
    RegistryConnectionMonitor contact();

    /** Runs a reconciliation pass soon; several calls close together make one. */
    void reconcileSoon();

    /** Runs a reconciliation pass after a quarter of a tick. */
    void retryLater();

    /** Pushes the routing soon; changes close together make one push. */
    void routingChanged();

    Routing routing();

    /** Registered servers that are not dead by pings. */
    List<ServerRecord> liveServers();

    /** The number of registered servers that are dead by pings. */
    int silentServers();

    /** Live servers that may take new replicas. */
    List<ServerRecord> usableServers();

    /** The servers as they are now, with the number of replicas that the tables give to each. */
    ClusterView clusterView();
}
