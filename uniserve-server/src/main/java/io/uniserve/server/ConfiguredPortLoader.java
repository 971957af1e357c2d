package io.uniserve.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.ServerSettings;
import io.uniserve.runtime.port.LoadedPort;
import io.uniserve.runtime.port.PortLoader;
import java.util.LinkedHashMap;
import java.util.Map;

/** Loader of the ports that the configuration names. */
final class ConfiguredPortLoader {
    private ConfiguredPortLoader() {}

    static Map<String, LoadedPort> load(ServerSettings settings) {
        if (settings.engines().isEmpty()) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION, "uniserve.server.engines is empty; name at least one engine");
        }
        Map<String, LoadedPort> ports = new LinkedHashMap<>();
        for (String name : settings.engines()) {
            if (!name.matches("[a-z0-9][a-z0-9-]{0,63}")) {
                throw new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION,
                        "uniserve.server.engines: \"" + name + "\" is not the name of an engine; use a-z, 0-9 and -");
            }
            if (!ports.containsKey(name)) {
                ports.put(name, PortLoader.load(settings.portsDirectory().resolve(name), name));
            }
        }
        return ports;
    }
}
