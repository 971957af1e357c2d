package io.uniserve.runtime.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The host that others are told: as configured, else the interface that is listened on, else this machine's name. */
public final class AdvertisedHost {
    private static final Logger LOG = LoggerFactory.getLogger(AdvertisedHost.class);

    private AdvertisedHost() {}

    /** What others use to reach a process that listens on this interface. */
    public static String of(String host, Optional<String> configured) {
        return configured.orElseGet(() -> all(host) ? machineName() : host);
    }

    private static boolean all(String host) {
        return host.equals("0.0.0.0") || host.equals("::");
    }

    private static String machineName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            LOG.warn("this machine's name cannot be resolved, localhost is told; set advertised-host", e);
            return "localhost";
        }
    }
}
