package io.uniserve.cli;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import java.util.Collection;
import java.util.List;

/** Servers in tables for people. */
public final class ServerNames {
    private static final int BRIEF = 8;

    private ServerNames() {}

    /** The first eight characters of a UUID, enough to tell servers apart; any other name whole. */
    public static String brief(ServerId server) {
        boolean uuid = server.value().matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
        return uuid ? server.value().substring(0, BRIEF) : server.value();
    }

    /** Several, as {@link #brief(ServerId)}. */
    public static String brief(Collection<ServerId> servers) {
        return String.join(",", servers.stream().map(ServerNames::brief).toList());
    }

    /** The one of these that is so called, whole or by its first characters; INVALID_ARGUMENT that begins with the label. */
    public static ServerId named(String label, String name, Collection<ServerId> servers) {
        List<ServerId> found = servers.stream()
                .filter(id -> !name.isEmpty() && id.value().startsWith(name))
                .toList();
        for (ServerId id : found) {
            if (found.size() == 1 || id.value().equals(name)) {
                return id;
            }
        }
        throw UniserveException.invalid(label + " " + name + ": "
                + (found.isEmpty() ? "there is no such server among " : "several servers begin like this among ")
                + brief(servers));
    }
}
