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
import io.uniserve.runtime.security.ReloadingTls;
import java.util.function.Supplier;

/** TLS credentials of the transport. Each handshake uses the newest state of the process's files. */
public final class TlsCredentials {
    private TlsCredentials() {}

    /**
     * Credentials of a server. Fails with INVALID_CONFIGURATION without a certificate.
     *
     * @param request true to request a certificate of each client; one that a client sends must be valid
     */
    public static ServerCredentials server(ReloadingTls tls, boolean request) {
        if (!tls.files().enabled()) {
            return InsecureServerCredentials.create();
        }
        if (tls.leaf().isEmpty()) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "tls.certificate-file is not set; set it to a PEM file, or set tls.enabled = false");
        }
        TlsServerCredentials.Builder builder = TlsServerCredentials.newBuilder();
        builder.keyManager(tls.keyManager());
        if (tls.files().trust().isPresent()) {
            builder.trustManager(tls.trustManager());
        }
        if (tls.files().requireClientCertificate()) {
            builder.clientAuth(TlsServerCredentials.ClientAuth.REQUIRE);
        } else if (request) {
            builder.clientAuth(TlsServerCredentials.ClientAuth.OPTIONAL);
        }
        return builder.build();
    }

    /**
     * Credentials of a client.
     *
     * @param cluster name of the cluster whose servers are accepted under any host name, empty while unknown
     */
    public static ChannelCredentials client(ReloadingTls tls, Supplier<String> cluster) {
        if (!tls.files().enabled()) {
            return InsecureChannelCredentials.create();
        }
        TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
        if (tls.files().trust().isPresent()) {
            builder.trustManager(new PeerTrustManager(tls.trustManager(), cluster, tls::isRevoked));
        }
        if (tls.leaf().isPresent()) {
            builder.keyManager(tls.keyManager());
        }
        return builder.build();
    }
}
