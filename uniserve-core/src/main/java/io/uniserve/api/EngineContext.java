package io.uniserve.api;

import java.nio.file.Path;
import java.util.Map;

/**
 * Resources that the host passes to {@link Engine#open}. Immutable.
 *
 * <pre>{@code
 * public EngineInstance open(EngineContext context) {
 *     int threads = Integer.parseInt(context.settings().getOrDefault("threads", "4"));
 *     return FUNCTIONS.instance(new Actors(context.scratch(), threads), () -> {});
 * }
 * }</pre>
 *
 * @param scratch an empty directory that only this engine instance uses; the host empties it at every start
 * @param settings the port's section of the server's configuration, by key
 */
public record EngineContext(Path scratch, Map<String, String> settings) {
    public EngineContext {
        settings = Map.copyOf(settings);
    }
}
