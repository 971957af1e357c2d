package io.uniserve.runtime.security;

import io.uniserve.runtime.security.ReloadingTls.Version;
import io.uniserve.runtime.security.TlsMaterial.Identity;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Key manager whose certificate and key may change. The alias of a handshake is the number of a version, so certificate and key are of the
 * same version also if they change during it. Thread-safe.
 */
final class ReloadingKeyManager extends X509ExtendedKeyManager {
    private final Supplier<Version> current;
    private final Supplier<@Nullable Version> previous;

    ReloadingKeyManager(Supplier<Version> current, Supplier<@Nullable Version> previous) {
        this.current = current;
        this.previous = previous;
    }

    /** The newest alias for a key of one of these kinds; null without one. Kinds of servers may name the exchange too: EC_EC. */
    private @Nullable String alias(String... kinds) {
        Version now = current.get();
        return now.material()
                .identity()
                .map(identity -> identity.leaf().getPublicKey().getAlgorithm())
                .filter(kind -> Stream.of(kinds).anyMatch(one -> one.equals(kind) || one.startsWith(kind + "_")))
                .map(kind -> now.alias())
                .orElse(null);
    }

    private Optional<Identity> find(String alias) {
        return Stream.of(Optional.of(current.get()), Optional.ofNullable(previous.get()))
                .flatMap(Optional::stream)
                .filter(version -> version.alias().equals(alias))
                .findFirst()
                .flatMap(version -> version.material().identity());
    }

    private static String @Nullable [] all(@Nullable String alias) {
        return alias == null ? null : new String[] {alias};
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return all(alias(keyType));
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return alias(keyType);
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return alias(keyType);
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return all(alias(keyType));
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return alias(keyType);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return alias(keyType);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        return find(alias)
                .map(identity -> identity.chain().toArray(X509Certificate[]::new))
                .orElse(null);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        return find(alias).map(Identity::key).orElse(null);
    }
}
