package io.uniserve.api;

/**
 * Setting of an engine that closes a way out of it: to files, connections, extensions or code. {@link Engine#switches} lists those of a
 * port. Immutable.
 *
 * <pre>{@code
 * new EngineSwitch("enable_external_access", "false", "functions and statements that read or write files, or open connections");
 * }</pre>
 *
 * @param name the engine's name of the setting
 * @param value the value that the port gives it, as the engine writes it
 * @param prevents what the engine refuses because of it
 */
public record EngineSwitch(String name, String value, String prevents) {
    public EngineSwitch {
        if (name.isBlank() || prevents.isBlank()) {
            throw new IllegalArgumentException("a switch has a name, and names what it prevents: " + name);
        }
    }
}
