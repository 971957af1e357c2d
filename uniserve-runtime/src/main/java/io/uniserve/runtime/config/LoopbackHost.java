package io.uniserve.runtime.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;

/** Test whether a process that listens on a host is reachable from its own machine only. */
final class LoopbackHost {
    /** Names of any other form need a look-up, whose result may differ when the port is opened. */
    private static final Pattern ADDRESS_OR_LOCALHOST =
            Pattern.compile("localhost|[0-9.]+|\\[?[0-9a-f:.]*:[0-9a-f:.]*\\]?");

    private LoopbackHost() {}

    /** True for {@code localhost} and addresses of 127.0.0.0/8 and ::1. */
    static boolean matches(String host) {
        if (!ADDRESS_OR_LOCALHOST.matcher(host.toLowerCase(Locale.ROOT)).matches()) {
            return false;
        }
        try {
            return Arrays.stream(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
