package io.uniserve.runtime.tls;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a process finds its key and whom it trusts; all files in PEM.
 *
 * @param enabled false for plain text
 * @param certificate the process's certificate chain; a server needs one, a client only where servers ask for it
 * @param key the private key, PKCS#8
 * @param trust certificates of authorities; empty for the JDK's own
 * @param requireClientCertificate a server refuses clients without a certificate that {@code trust} vouches for
 */
public record TlsFiles(
        boolean enabled,
        Optional<Path> certificate,
        Optional<Path> key,
        Optional<Path> trust,
        boolean requireClientCertificate) {
    /** Plain text. */
    public static final TlsFiles PLAIN =
            new TlsFiles(false, Optional.empty(), Optional.empty(), Optional.empty(), false);

    /** What a server shows and asks for; INVALID_CONFIGURATION names the file that is missing or wrong. */
    public ServerCredentials server() {
        if (!enabled) {
            return InsecureServerCredentials.create();
        }
        Path chain = readable("certificate", certificate);
        Path secret = readable("key", key);
        try {
            TlsServerCredentials.Builder builder = TlsServerCredentials.newBuilder();
            builder.keyManager(chain.toFile(), secret.toFile());
            if (trust.isPresent()) {
                builder.trustManager(readable("trust", trust).toFile());
            }
            if (requireClientCertificate) {
                builder.clientAuth(TlsServerCredentials.ClientAuth.REQUIRE);
            }
            return builder.build();
        } catch (IOException e) {
            throw unreadable("certificate or key", chain, e);
        }
    }

    /** What a client shows and trusts; INVALID_CONFIGURATION names the file that is missing or wrong. */
    public ChannelCredentials client() {
        if (!enabled) {
            return InsecureChannelCredentials.create();
        }
        try {
            TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
            if (trust.isPresent()) {
                builder.trustManager(readable("trust", trust).toFile());
            }
            if (certificate.isPresent()) {
                builder.keyManager(
                        readable("certificate", certificate).toFile(),
                        readable("key", key).toFile());
            }
            return builder.build();
        } catch (IOException e) {
            throw unreadable("trust", trust.orElse(Path.of("")), e);
        }
    }

    private static Path readable(String what, Optional<Path> file) {
        Path path = file.orElseThrow(() -> new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "tls." + what + " is not set; name a PEM file or set tls.enabled = false"));
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
