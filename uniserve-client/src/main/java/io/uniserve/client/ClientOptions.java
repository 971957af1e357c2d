package io.uniserve.client;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.reader.RequestSettings;
import io.uniserve.protocol.reader.RoutingPolicy;
import io.uniserve.runtime.tls.TlsFiles;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * All settings of a client, checked. Immutable.
 *
 * @param bootstrap servers or coordinators to learn the routing map from, at least one; later any server will do
 * @param clusterId the cluster this client belongs to; empty: the first one that answers
 * @param queryDeadline deadline of queries and administrative operations that do not set their own
 * @param updateDeadline deadline of updates that do not set their own
 * @param connectTimeout how long building a client waits for the first routing map
 * @param maxInFlight operations under way at once
 * @param maxInFlightBytes bytes of rows under way at once
 * @param reader how requests are retried and hedged
 * @param routingPolicy which of several replicas answers
 * @param tls plain text or certificates
 * @param callbackExecutor runs callbacks of asynchronous operations; {@code Runnable::run} for the transport's threads
 */
public record ClientOptions(
        List<Address> bootstrap,
        Optional<String> clusterId,
        Duration queryDeadline,
        Duration updateDeadline,
        Duration connectTimeout,
        int maxInFlight,
        long maxInFlightBytes,
        RequestSettings reader,
        RoutingPolicy routingPolicy,
        TlsFiles tls,
        Executor callbackExecutor) {
    public static final int MAX_IN_FLIGHT_MAX = 100_000;

    public ClientOptions {
        bootstrap = List.copyOf(bootstrap);
        if (bootstrap.isEmpty()) {
            throw UniserveException.invalid(
                    "bootstrap is empty; give at least one HOST:PORT of a server or coordinator");
        }
        Deadlines.check("queryDeadline", queryDeadline);
        Deadlines.check("updateDeadline", updateDeadline);
        Deadlines.check("connectTimeout", connectTimeout);
        between("maxInFlight", maxInFlight, 1, MAX_IN_FLIGHT_MAX);
        between("maxInFlightBytes", maxInFlightBytes, 1, 1L << 40);
        between("hedgePermille", reader.hedgePermille(), 0, 1_000);
    }

    private static void between(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw UniserveException.invalid(name + " is " + value + ": use " + min + " to " + max);
        }
    }
}
