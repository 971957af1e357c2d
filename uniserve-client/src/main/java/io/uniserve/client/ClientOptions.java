package io.uniserve.client;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.client.routing.RequestSettings;
import io.uniserve.protocol.client.routing.RoutingPolicy;
import io.uniserve.runtime.config.RenewalSettings;
import io.uniserve.runtime.security.UserPassword;
import io.uniserve.runtime.tls.TlsFiles;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Validated settings of a client. Immutable. {@link UniserveClientBuilder#options} creates them.
 *
 * @param bootstrap addresses of servers or coordinators for the first routing map, at least one; later any server of the map is
 *     used
 * @param clusterId the client's cluster; empty for the first one that answers
 * @param queryDeadline deadline of queries and administrative operations without a deadline of their own
 * @param updateDeadline deadline of updates without a deadline of their own
 * @param connectTimeout time for a new client to get the first routing map
 * @param maxInFlight largest number of concurrent operations
 * @param maxInFlightBytes largest size of the rows of concurrent operations, in bytes
 * @param requestSettings retries and hedging
 * @param routingPolicy choice among several replicas
 * @param tls plain text or certificates
 * @param user user that logs in with its password; empty for none
 * @param renewBefore time before the end of the client's certificate at which it renews it; empty if it does not
 * @param callbackExecutor executor for callbacks of asynchronous operations; {@code Runnable::run} for the transport's threads
 */
public record ClientOptions(
        List<Address> bootstrap,
        Optional<String> clusterId,
        Duration queryDeadline,
        Duration updateDeadline,
        Duration connectTimeout,
        int maxInFlight,
        long maxInFlightBytes,
        RequestSettings requestSettings,
        RoutingPolicy routingPolicy,
        TlsFiles tls,
        Optional<UserPassword> user,
        Optional<Duration> renewBefore,
        Executor callbackExecutor) {
    public static final int MAX_IN_FLIGHT_MAX = 100_000;

    public ClientOptions {
        bootstrap = List.copyOf(bootstrap);
        if (bootstrap.isEmpty()) {
            throw UniserveException.invalid(
                    "bootstrap is empty; set at least one HOST:PORT of a server or coordinator");
        }
        DeadlineValidator.check("queryDeadline", queryDeadline);
        DeadlineValidator.check("updateDeadline", updateDeadline);
        DeadlineValidator.check("connectTimeout", connectTimeout);
        checkRange("maxInFlight", maxInFlight, 1, MAX_IN_FLIGHT_MAX);
        checkRange("maxInFlightBytes", maxInFlightBytes, 1, 1L << 40);
        checkRange("hedgePermille", requestSettings.hedgePermille(), 0, 1_000);
        renewBefore.ifPresent(before -> checkRenewal(before, tls));
    }

    private static void checkRenewal(Duration before, TlsFiles tls) {
        if (!tls.enabled() || tls.certificate().isEmpty() || tls.key().isEmpty()) {
            throw UniserveException.invalid(
                    "renewCertificate is set, and the client has no certificate: set tls.enabled,"
                            + " tls.certificate-file and tls.key-file too, or client.renew-certificate = false");
        }
        if (before.compareTo(RenewalSettings.MIN) < 0 || before.compareTo(RenewalSettings.MAX) > 0) {
            throw UniserveException.invalid(
                    "renewCertificate is " + before + ": use " + RenewalSettings.MIN + " to " + RenewalSettings.MAX);
        }
    }

    private static void checkRange(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw UniserveException.invalid(name + " is " + value + ": use " + min + " to " + max);
        }
    }
}
