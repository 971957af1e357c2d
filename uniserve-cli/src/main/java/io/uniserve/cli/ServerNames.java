package io.uniserve.cli;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import java.util.Collection;
import java.util.List;

/** Short names of servers in tables for people. */
public final class ServerNames {
    private static final int BRIEF = 8;

    private ServerNames() {}

    /** Returns the first eight characters of a UUID, enough to distinguish servers; any other name in full. */
    public static String shortName(ServerId server) {
        boolean uuid = server.value().matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
        return uuid ? server.value().substring(0, BRIEF) : server.value();
    }

    /** Returns the names of several servers, as {@link #shortName(ServerId)}. */
    public static String shortName(Collection<ServerId> servers) {
        return String.join(",", servers.stream().map(ServerNames::shortName).toList());
    }

    /** Returns the server with this name or unique prefix. Fails with INVALID_ARGUMENT, whose message starts with the label. */
    public static ServerId findByName(String label, String name, Collection<ServerId> servers) {
        List<ServerId> found = servers.stream()
                .filter(id -> !name.isEmpty() && id.value().startsWith(name))
                .toList();
        for (ServerId id : found) {
            if (found.size() == 1 || id.value().equals(name)) {
                return id;
            }
        }
        throw UniserveException.invalid(label + " " + name + ": "
                + (found.isEmpty() ? "there is no such server among " : "several servers have this prefix among ")
                + shortName(servers));
    }
}
