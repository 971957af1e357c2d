package io.uniserve.api;

import java.nio.file.Path;
import java.util.Map;

/**
 * What the host gives an engine.
 *
 * @param scratch an empty directory of the engine's own, deleted at every start
 * @param settings the port's section of the server's configuration
 */
public record EngineContext(Path scratch, Map<String, String> settings) {
    public EngineContext {
        settings = Map.copyOf(settings);
    }
}
