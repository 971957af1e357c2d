package io.uniserve.coordinator;

import io.uniserve.runtime.config.CoordinatorSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Advertised host of the coordinator: the configured one, else the address that it listens on, else the name of this machine. */
final class CoordinatorHostResolver {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorHostResolver.class);

    private CoordinatorHostResolver() {}

    static String of(CoordinatorSettings settings) {
        return settings.advertisedHost().orElseGet(() -> all(settings.host()) ? machineName() : settings.host());
    }

    private static boolean all(String host) {
        return host.equals("0.0.0.0") || host.equals("::");
    }

    private static String machineName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            LOG.warn("cannot resolve this machine's name, using localhost; set coordinator.advertised-host", e);
            return "localhost";
        }
    }
}
