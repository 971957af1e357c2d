package io.uniserve.runtime.config;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of the ZooKeeper client and of the embedded ZooKeeper.
 *
 * @param cluster name of the cluster, part of its root in ZooKeeper
 * @param connect HOST:PORT of the ensemble's servers, separated by commas
 * @param startTimeout time for a starting process to reach ZooKeeper
 */
public record ZooKeeperSettings(
        String cluster,
        String connect,
        Duration sessionTimeout,
        Duration connectTimeout,
        Duration startTimeout,
        Access access,
        Tls tls,
        Embedded embedded) {
    private static final String NAME = "[A-Za-z0-9_-]{1,64}";
    private static final String USER = "[A-Za-z0-9._-]{1,64}";
    private static final String PASSWORD_FILE = "password-file";

    /** Scheme of the identity that owns the cluster's nodes. */
    public enum Scheme {
        /** No identity: nodes are open to all. */
        NONE,
        /** A user with a password. */
        DIGEST,
        /** The subject of the certificate of {@link Tls}. */
        X509
    }

    /**
     * Settings of the identity that owns the cluster's nodes.
     *
     * @param user user of scheme digest
     * @param passwordFile file of its password; present for scheme digest
     * @param migration true while a running cluster gets access lists
     */
    public record Access(Scheme scheme, String user, Optional<Path> passwordFile, boolean migration) {}

    /**
     * Settings of TLS to ZooKeeper.
     *
     * @param checkHostName true if ZooKeeper's certificate must have the host of the connection
     */
    public record Tls(
            boolean enabled,
            Optional<Path> certificate,
            Optional<Path> key,
            Optional<Path> trust,
            boolean checkHostName) {}

    /** Settings of the embedded ZooKeeper. */
    public record Embedded(String host, int port, Path dataDirectory, Duration tick, TlsFiles tls) {}

    /** Root of the cluster's nodes. */
    public String root() {
        return "/uniserve/" + cluster;
    }

    static ZooKeeperSettings of(ConfigSection root) {
        String cluster = root.textNotEmpty("cluster");
        if (!cluster.matches(NAME)) {
            throw root.invalidValue("cluster", "1 to 64 letters, digits, _ or -", null);
        }
        ConfigSection zk = root.section("zookeeper");
        ConfigSection embedded = zk.section("embedded");
        Tls tls = tls(zk.section("tls"), root.section("tls"));
        return new ZooKeeperSettings(
                cluster,
                zk.textNotEmpty("connect"),
                zk.duration("session-timeout", Duration.ofSeconds(1), Duration.ofMinutes(5)),
                zk.duration("connect-timeout", Duration.ofMillis(100), Duration.ofMinutes(1)),
                zk.duration("start-timeout", Duration.ofSeconds(1), Duration.ofHours(1)),
                access(zk.section("access"), tls),
                tls,
                new Embedded(
                        embedded.textNotEmpty("host"),
                        embedded.port("port"),
                        embedded.file("data-dir"),
                        embedded.duration("tick", Duration.ofMillis(100), Duration.ofSeconds(10)),
                        embeddedTls(embedded.section("tls"), root.section("tls"))));
    }

    private static Access access(ConfigSection section, Tls tls) {
        Scheme scheme = switch (section.text("scheme").strip()) {
            case "" -> Scheme.NONE;
            case "digest" -> Scheme.DIGEST;
            case "x509" -> Scheme.X509;
            default -> throw section.invalidValue("scheme", "digest or x509, or leave it empty", null);
        };
        Access access = new Access(
                scheme, section.text("user").strip(), section.optionalFile(PASSWORD_FILE), section.flag("migration"));
        if (scheme == Scheme.DIGEST) {
            if (!access.user().matches(USER)) {
                throw section.invalidValue("user", "1 to 64 letters, digits, dots, _ or -", null);
            }
            if (access.passwordFile().isEmpty()) {
                throw section.invalidValue(
                        PASSWORD_FILE, "the name of a file that has the password of scheme digest in one line", null);
            }
        }
        if (scheme == Scheme.X509 && !(tls.enabled() && tls.certificate().isPresent())) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "uniserve.zookeeper.access.scheme = x509 needs uniserve.zookeeper.tls.enabled = true and its"
                            + " certificate-file and key-file");
        }
        return access;
    }

    /** Files that are not set are those of the section {@code tls} of the process. */
    private static Tls tls(ConfigSection section, ConfigSection process) {
        return new Tls(
                section.flag("enabled"),
                file("certificate-file", section, process),
                file("key-file", section, process),
                file("trust-file", section, process),
                section.flag("check-host-name"));
    }

    private static TlsFiles embeddedTls(ConfigSection section, ConfigSection process) {
        TlsFiles files = new TlsFiles(
                section.flag("enabled"),
                file("certificate-file", section, process),
                file("key-file", section, process),
                file("trust-file", section, process),
                true);
        if (files.enabled()
                && (files.certificate().isEmpty()
                        || files.key().isEmpty()
                        || files.trust().isEmpty())) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "uniserve.zookeeper.embedded.tls.enabled = true needs certificate-file, key-file and trust-file: make"
                            + " them by uniserve security issue zookeeper NAME --host HOST");
        }
        return files;
    }

    private static Optional<Path> file(String key, ConfigSection section, ConfigSection process) {
        return section.optionalFile(key).or(() -> process.optionalFile(key));
    }
}
