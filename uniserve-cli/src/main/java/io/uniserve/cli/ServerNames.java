package io.uniserve.cli;

import io.uniserve.model.ServerId;

/** Servers in tables for people. */
public final class ServerNames {
    private static final int BRIEF = 8;

    private ServerNames() {}

    /** The first eight characters of a UUID, enough to tell servers apart; any other name whole. */
    public static String brief(ServerId server) {
        boolean uuid = server.value().matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
        return uuid ? server.value().substring(0, BRIEF) : server.value();
    }
}
