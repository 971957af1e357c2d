package io.uniserve.cli.daemon;

/** Hosts in ready lines. */
final class ReadyLineHost {
    private ReadyLineHost() {}

    /** Returns the host by which this machine reaches a listener on the interface. */
    static String reachable(String host) {
        return host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
    }
}
