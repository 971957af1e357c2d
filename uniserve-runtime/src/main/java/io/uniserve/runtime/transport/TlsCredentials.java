package io.uniserve.runtime.transport;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.security.PeerTrustManager;
import io.uniserve.runtime.tls.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/** TLS credentials of the transport, read from the files of the configuration. */
public final class TlsCredentials {
    private TlsCredentials() {}

    /** Credentials of a server. Fails with INVALID_CONFIGURATION, with the missing or wrong file. */
    public static ServerCredentials server(TlsFiles files) {
        return server(files, false);
    }

    /**
     * Credentials of a server. Fails as {@link #server(TlsFiles)}.
     *
     * @param request true to request a certificate of each client; one that a client sends must be valid
     */
    public static ServerCredentials server(TlsFiles files, boolean request) {
        if (!files.enabled()) {
            return InsecureServerCredentials.create();
        }
        Path chain = readable("certificate", files.certificate());
        Path secret = readable("key", files.key());
        try {
            TlsServerCredentials.Builder builder = TlsServerCredentials.newBuilder();
            builder.keyManager(chain.toFile(), secret.toFile());
            if (files.trust().isPresent()) {
                builder.trustManager(readable("trust", files.trust()).toFile());
            }
            if (files.requireClientCertificate()) {
                builder.clientAuth(TlsServerCredentials.ClientAuth.REQUIRE);
            } else if (request) {
                builder.clientAuth(TlsServerCredentials.ClientAuth.OPTIONAL);
            }
            return builder.build();
        } catch (IOException e) {
            throw unreadable("certificate or key", chain, e);
        }
    }

    /**
     * Credentials of a client. Fails with INVALID_CONFIGURATION, with the missing or wrong file.
     *
     * @param cluster name of the cluster whose servers are accepted under any host name, empty while unknown
     */
    public static ChannelCredentials client(TlsFiles files, Supplier<String> cluster) {
        if (!files.enabled()) {
            return InsecureChannelCredentials.create();
        }
        try {
            TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
            if (files.trust().isPresent()) {
                builder.trustManager(PeerTrustManager.of(readable("trust", files.trust()), cluster));
            }
            if (files.certificate().isPresent()) {
                builder.keyManager(
                        readable("certificate", files.certificate()).toFile(),
                        readable("key", files.key()).toFile());
            }
            return builder.build();
        } catch (IOException e) {
            throw unreadable("certificate or key", files.certificate().orElse(Path.of("")), e);
        }
    }

    private static Path readable(String what, Optional<Path> file) {
        Path path = file.orElseThrow(() -> new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "tls." + what + " is not set; set it to a PEM file, or set tls.enabled = false"));
        if (!Files.isReadable(path)) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION, "tls." + what + ": file " + path + " is missing or not readable");
        }
        return path;
    }

    private static UniserveException unreadable(String what, Path path, IOException cause) {
        return new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "tls." + what + ": file " + path + " cannot be read: " + cause.getMessage(),
                cause);
    }
}
