package io.uniserve.runtime.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Advertised host of a process: the configured one, else the address that it listens on, else the name of this machine. */
public final class AdvertisedHostResolver {
    private static final Logger LOG = LoggerFactory.getLogger(AdvertisedHostResolver.class);

    private AdvertisedHostResolver() {}

    /** Host with which others reach a process that listens on this address. */
    public static String of(String host, Optional<String> configured) {
        return configured.orElseGet(() -> isWildcard(host) ? machineName() : host);
    }

    private static boolean isWildcard(String host) {
        return host.equals("0.0.0.0") || host.equals("::");
    }

    private static String machineName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            LOG.warn("cannot resolve this machine's name, using localhost; set advertised-host", e);
            return "localhost";
        }
    }
}
