package io.uniserve.benchmark.servers;

import java.util.List;

/**
 * Settings of {@code bench servers}.
 *
 * @param servers sizes of the cluster, ascending; the first is the reference of the others
 * @param actors actors of the table, one or several numbers
 * @param heap heap option of a server
 * @param replicas replicas per actor
 * @param rowsPerActor rows of each actor, on average
 * @param clients clients in a closed loop
 * @param seconds length of each measurement of queries
 * @param warmUpSeconds queries of each kind before them
 * @param idleSeconds length of the measurement without queries
 */
record ServersSettings(
        List<Integer> servers,
        List<Integer> actors,
        String heap,
        int replicas,
        int rowsPerActor,
        int clients,
        double seconds,
        double warmUpSeconds,
        double idleSeconds) {
    ServersSettings {
        servers = List.copyOf(servers);
        actors = List.copyOf(actors);
    }
}
