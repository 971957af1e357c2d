package io.uniserve.runtime.registry.access;

import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.ZooKeeperSettings;
import io.uniserve.runtime.config.ZooKeeperSettings.Access;
import io.uniserve.runtime.security.PemCertificates;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Identity and TLS of connections to ZooKeeper. Immutable.
 *
 * @param tls empty for plain connections
 */
public record ZooKeeperSecurity(ZooKeeperIdentity identity, Optional<ZooKeeperTls> tls) {
    /** Plain connections without an identity. */
    public static final ZooKeeperSecurity NONE = new ZooKeeperSecurity(ZooKeeperIdentity.NONE, Optional.empty());

    /** Setting of the TLS files. */
    static final String TLS_KEY = "uniserve.zookeeper.tls";

    /**
     * Reads the identity's files.
     *
     * @throws UniserveException INVALID_CONFIGURATION if one cannot be used, or a password's file is open to other accounts
     */
    public static ZooKeeperSecurity of(ZooKeeperSettings settings) {
        ZooKeeperSettings.Tls tls = settings.tls();
        Optional<ZooKeeperTls> used = tls.enabled()
                ? Optional.of(new ZooKeeperTls(TLS_KEY, tls.certificate(), tls.key(), tls.trust(), tls.checkHostName()))
                : Optional.empty();
        ZooKeeperIdentity identity = identity(settings.access(), tls);
        return new ZooKeeperSecurity(settings.access().migration() ? identity.inMigration() : identity, used);
    }

    private static ZooKeeperIdentity identity(Access access, ZooKeeperSettings.Tls tls) {
        return switch (access.scheme()) {
            case NONE -> ZooKeeperIdentity.NONE;
            case DIGEST ->
                ZooKeeperIdentity.digest(
                        access.user(),
                        SecretFile.read(
                                "uniserve.zookeeper.access.password-file",
                                access.passwordFile().orElseThrow()));
            case X509 -> ZooKeeperIdentity.x509(subject(tls.certificate().orElseThrow()));
        };
    }

    private static String subject(Path certificate) {
        return PemCertificates.read(TLS_KEY + ".certificate-file", certificate)
                .get(0)
                .getSubjectX500Principal()
                .getName();
    }
}
