package io.uniserve.runtime.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.tls.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Configuration of a process: a file overrides the defaults, and values from the command line override both. Loading rejects unknown
 * and duplicate keys. Creating a record of settings checks types, units and ranges. Immutable.
 */
public final class Settings {
    private static final String ROOT = "uniserve";
    /** Path of the ports' own settings, which may have any key. */
    private static final String FREE_SECTION = "uniserve.server.port-settings";

    /** Deprecated keys and the names that replaced them; they work for one release, with a warning. */
    private static final Map<String, String> RENAMED = Map.of("uniserve.server.ports", "uniserve.server.engines");

    private static final Duration CONNECTION_AGE_MIN = Duration.ofSeconds(1);
    private static final Duration CONNECTION_AGE_MAX = Duration.ofHours(24);

    private static final Logger LOG = LoggerFactory.getLogger(Settings.class);

    private final Config config;

    private Settings(Config config) {
        this.config = config;
    }

    /** Returns the defaults. */
    public static Settings defaults() {
        return load(Optional.empty(), Map.of());
    }

    /**
     * Loads the configuration.
     *
     * @param file a HOCON file, or empty for the defaults
     * @param overrides values by full key, such as {@code uniserve.server.port}, from the command line
     * @throws UniserveException INVALID_CONFIGURATION, with file, line, key and remedy
     */
    public static Settings load(Optional<Path> file, Map<String, String> overrides) {
        return load(file, overrides, Map.of());
    }

    /**
     * Loads the configuration.
     *
     * @param installation values of the installation by full key, such as the directory of ports. They override the defaults; the
     *     file and the command line override them
     */
    public static Settings load(Optional<Path> file, Map<String, String> overrides, Map<String, String> installation) {
        Config reference = ConfigFactory.parseMap(installation, "installation").withFallback(reference());
        Config user = file.map(Settings::parse).orElse(ConfigFactory.empty());
        try {
            Config given = ConfigFactory.parseMap(parseLists(currentKeys(overrides), reference), "command line")
                    .withFallback(currentKeys(user));
            Config whole = given.withFallback(reference).resolve();
            UnknownKeyChecker.of(reference, FREE_SECTION).check(given, whole);
            return new Settings(whole);
        } catch (ConfigException e) {
            throw invalid(String.valueOf(e.getMessage()), e);
        }
    }

    private static Map<String, String> currentKeys(Map<String, String> overrides) {
        Map<String, String> current = new TreeMap<>(overrides);
        RENAMED.forEach((old, key) -> {
            if (overrides.containsKey(old)) {
                warnDeprecated("command line", old, key, overrides.containsKey(key));
                current.put(key, overrides.get(old));
                current.remove(old);
            }
        });
        return current;
    }

    private static Config currentKeys(Config user) {
        Config current = user;
        for (Map.Entry<String, String> renamed : RENAMED.entrySet()) {
            String old = renamed.getKey();
            if (isSet(user, old)) {
                ConfigValue value = user.getValue(old);
                warnDeprecated(value.origin().description(), old, renamed.getValue(), isSet(user, renamed.getValue()));
                current = current.withValue(renamed.getValue(), value).withoutPath(old);
            }
        }
        return current;
    }

    /** False for a key inside a section that is a substitution: {@link UnknownKeyChecker} then refuses a deprecated name. */
    private static boolean isSet(Config user, String key) {
        try {
            return user.hasPath(key);
        } catch (ConfigException.NotResolved e) {
            return false;
        }
    }

    private static void warnDeprecated(String origin, String old, String key, boolean both) {
        if (both) {
            throw invalid(origin + ": " + old + " is the deprecated name of " + key + "; delete " + old, null);
        }
        LOG.warn("{}: {} is deprecated: use {}", origin, old, key);
    }

    /** On the command line a list has the form {@code a,b}. */
    private static Map<String, Object> parseLists(Map<String, String> overrides, Config reference) {
        Map<String, Object> values = new TreeMap<>(overrides);
        values.replaceAll((key, value) -> isList(reference, key) ? splitList(value.toString()) : value);
        return values;
    }

    private static boolean isList(Config reference, String key) {
        return reference.hasPath(key) && reference.getValue(key).valueType() == ConfigValueType.LIST;
    }

    private static List<String> splitList(String text) {
        return Arrays.stream(text.split(","))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
    }

    /** Settings of the ZooKeeper client and the embedded ZooKeeper. */
    public ZooKeeperSettings zookeeper() {
        return ZooKeeperSettings.of(root());
    }

    /** Settings of a server. */
    public ServerSettings server() {
        return ServerSettings.of(root());
    }

    /** Settings of a coordinator. */
    public CoordinatorSettings coordinator() {
        return CoordinatorSettings.of(root());
    }

    /** Settings of a client. */
    public ClientSettings client() {
        return ClientSettings.of(root());
    }

    /**
     * Settings of the HTTP listener for metrics and health of a process.
     *
     * @throws UniserveException INVALID_CONFIGURATION if it needs TLS, or identities of callers, that the other settings do not give
     */
    public MetricsSettings metrics(ListenerKind kind) {
        return MetricsSettings.of(root(), tls(), kind);
    }

    /** The same for a process that has no such listener: only each value is checked. */
    public MetricsSettings metrics() {
        return MetricsSettings.parse(root(), false);
    }

    /** Certificates and authorities of connections. */
    public TlsFiles tls() {
        ConfigSection tls = root().section("tls");
        return new TlsFiles(
                tls.flag("enabled"),
                tls.optionalFile("certificate-file"),
                tls.optionalFile("key-file"),
                tls.optionalFile("trust-file"),
                tls.flag("require-client-certificate"));
    }

    /**
     * Settings of the identities of callers of a process that listens.
     *
     * @throws UniserveException INVALID_CONFIGURATION if the mode is unknown, or closed without the files of {@link #tls}
     */
    public SecuritySettings security(ListenerKind kind) {
        return SecuritySettings.of(root(), tls(), kind);
    }

    /** True if everyone who can connect from another machine may do everything. */
    public boolean isOpenToNetwork(ListenerKind kind) {
        return SecurityMode.isOpenToNetwork(root(), kind);
    }

    /** Host that a process listens on. */
    public String host(ListenerKind kind) {
        return root().section(kind.section()).textNotEmpty("host");
    }

    /**
     * Files of {@link #tls} for a process that listens. Fails as {@link #security}: in mode closed all of them are needed. There a
     * certificate is requested of each client, and required only by {@code require-client-certificate}.
     */
    public TlsFiles serverTls(ListenerKind kind) {
        SecuritySettings unused = security(kind);
        return tls();
    }

    /** Settings of the renewal of certificates. */
    public RenewalSettings renewal() {
        return RenewalSettings.of(root());
    }

    /** Age at which a connection is replaced by a new one. */
    public Duration connectionAge() {
        return root().section("security").duration("connection-age", CONNECTION_AGE_MIN, CONNECTION_AGE_MAX);
    }

    /** Settings of the audit log of a process. */
    public AuditSettings audit(ListenerKind kind) {
        return AuditSettings.of(root(), kind);
    }

    private ConfigSection root() {
        return new ConfigSection(config, ROOT);
    }

    private static Config reference() {
        return ConfigFactory.parseResources(Settings.class.getClassLoader(), "reference.conf")
                .withOnlyPath(ROOT);
    }

    private static Config parse(Path file) {
        String text = read(file);
        try {
            Config parsed = ConfigFactory.parseFile(
                    file.toFile(),
                    ConfigParseOptions.defaults().setAllowMissing(false).setSyntax(ConfigSyntax.CONF));
            refuseDuplicates(file, text);
            refuseOtherRoots(parsed);
            return parsed;
        } catch (ConfigException e) {
            throw invalid(String.valueOf(e.getMessage()), e);
        }
    }

    private static String read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(Limits.CONFIG_FILE_BYTES_MAX + 1);
            if (bytes.length > Limits.CONFIG_FILE_BYTES_MAX) {
                throw invalid(
                        "configuration file " + file + " has more than " + Limits.CONFIG_FILE_BYTES_MAX
                                + " bytes: use another file, or remove what is not needed",
                        null);
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (IOException e) {
            throw invalid("configuration file " + file + " is missing or cannot be read as UTF-8", e);
        }
    }

    private static void refuseDuplicates(Path file, String text) {
        List<DuplicateKeyChecker.Duplicate> duplicates = DuplicateKeyChecker.find(text);
        if (!duplicates.isEmpty()) {
            DuplicateKeyChecker.Duplicate first = duplicates.get(0);
            throw invalid(
                    file + ": " + first.secondLine() + ": " + first.key() + " was set before, in line "
                            + first.firstLine() + "; delete one of them",
                    null);
        }
    }

    private static void refuseOtherRoots(Config parsed) {
        Set<Map.Entry<String, ConfigValue>> roots = parsed.root().entrySet();
        for (Map.Entry<String, ConfigValue> root : roots) {
            if (!root.getKey().equals(ROOT)) {
                throw invalid(
                        root.getValue().origin().description() + ": " + root.getKey()
                                + " is not a known key; all keys must be inside uniserve { ... }",
                        null);
            }
        }
    }

    static UniserveException invalid(String message, @Nullable Exception cause) {
        return new UniserveException(ErrorCode.INVALID_CONFIGURATION, message, cause);
    }
}
