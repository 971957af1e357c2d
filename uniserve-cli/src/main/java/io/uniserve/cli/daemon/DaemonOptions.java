package io.uniserve.cli.daemon;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Options of every daemon: a configuration file and single settings. What the command line says stands over the file; {@code
 * -S} over the options that have a name of their own.
 */
final class DaemonOptions {
    private static final String ROOT = "uniserve.";

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Configuration in HOCON; the manual is reference.conf. Unknown keys are refused.")
    private @Nullable Path file;

    @Option(
            names = "-S",
            paramLabel = "KEY=VALUE",
            description = "One setting, e.g. -S server.lease=3s; may be given several times, lists as a,b.")
    private Map<String, String> settings = new LinkedHashMap<>();

    /** The whole configuration; {@code named} are the values of options that have a name of their own, by full key. */
    Settings load(Map<String, String> named) {
        Map<String, String> overrides = new LinkedHashMap<>(named);
        settings.forEach((key, value) -> overrides.put(key.startsWith(ROOT) ? key : ROOT + key, value));
        if (file != null && !Files.isRegularFile(file)) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION, "--config names " + file + ", and there is no such file");
        }
        return Settings.load(Optional.ofNullable(file), overrides, installation());
    }

    /** The ports that came with this distribution. */
    private static Map<String, String> installation() {
        String home = System.getProperty("uniserve.home");
        return home == null
                ? Map.of()
                : Map.of("uniserve.server.ports-dir", Path.of(home, "ports").toString());
    }
}
