package io.uniserve.cli.daemon;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/**
 * Options of every daemon, and of commands with its configuration: a configuration file and single settings. The command line overrides the file, and {@code -S} overrides named
 * options.
 */
public final class DaemonOptions {
    private static final Logger LOG = LoggerFactory.getLogger(DaemonOptions.class);
    private static final String ROOT = "uniserve.";

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Configuration in HOCON; the manual is reference.conf. Unknown keys are refused.")
    private @Nullable Path file;

    @Option(
            names = "-S",
            paramLabel = "KEY=VALUE",
            description = "One setting, e.g. -S server.lease=3s; repeatable; lists as a,b.")
    private Map<String, String> settings = new LinkedHashMap<>();

    /** Returns the whole configuration; {@code named} has the values of named options, by full key. */
    public Settings load(Map<String, String> named) {
        Map<String, String> overrides = new LinkedHashMap<>(named);
        settings.forEach((key, value) -> overrides.put(key.startsWith(ROOT) ? key : ROOT + key, value));
        if (file != null && !Files.isRegularFile(file)) {
            throw new UniserveException(ErrorCode.INVALID_CONFIGURATION, "--config: file " + file + " does not exist");
        }
        Settings loaded = Settings.load(Optional.ofNullable(file), overrides, installation());
        check(loaded);
        return loaded;
    }

    /** Checks every section, including those that this daemon does not use: a file is valid only as a whole. */
    private static void check(Settings loaded) {
        List<Supplier<?>> sections = List.of(
                loaded::zookeeper, loaded::server, loaded::coordinator, loaded::client, loaded::metrics, loaded::tls);
        sections.forEach(section -> LOG.debug("settings: {}", section.get()));
    }

    /** Returns the setting for the ports of this distribution. */
    private static Map<String, String> installation() {
        String home = System.getProperty("uniserve.home");
        return home == null
                ? Map.of()
                : Map.of("uniserve.server.ports-dir", Path.of(home, "ports").toString());
    }
}
