package io.uniserve.runtime.registry.access;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** Reason why TLS with ZooKeeper fails, which ZooKeeper's client only logs. */
final class TlsProbe {
    private static final int CONNECT_MILLIS = 1_000;
    private static final int READ_MILLIS = 1_000;

    private TlsProbe() {}

    /** First server whose handshake fails, with the reason and the settings to check; empty if none does. Blocks. */
    static Optional<String> failure(ZooKeeperTls tls, String connect) {
        for (String address : connect.split(",")) {
            int colon = address.lastIndexOf(':');
            if (colon > 0) {
                Optional<String> why = failure(
                        tls,
                        address.substring(0, colon).strip(),
                        address.substring(colon + 1).strip());
                if (why.isPresent()) {
                    return Optional.of(
                            "TLS with " + address.strip() + " fails: " + why.get() + "; check " + tls.section()
                                    + ".trust-file, certificate-file, the host names in ZooKeeper's certificate, and that this is"
                                    + " a port for TLS");
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<String> failure(ZooKeeperTls tls, String host, String port) {
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(host, Integer.parseInt(port)), CONNECT_MILLIS);
            plain.setSoTimeout(READ_MILLIS);
            return handshake(tls, plain, host, plain.getPort());
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty(); // no connection: TLS is not the reason
        }
    }

    private static Optional<String> handshake(ZooKeeperTls tls, Socket plain, String host, int port) {
        try {
            PemKeyStores stores = PemKeyStores.read(tls, "probe");
            Optional<KeyManagerFactory> keys = stores.keyManagers();
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    keys.isPresent() ? keys.get().getKeyManagers() : null,
                    stores.trustManagers().getTrustManagers(),
                    null);
            SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, host, port, false);
            if (tls.checkHostName()) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                socket.setSSLParameters(parameters);
            }
            socket.startHandshake();
            // With TLS 1.3 a server rejects a certificate only after the client's handshake.
            return socket.getInputStream().read() < 0
                    ? Optional.of("the server closes the connection after the handshake")
                    : Optional.empty();
        } catch (SocketTimeoutException e) {
            return Optional.empty(); // the handshake passed, and ZooKeeper waits for a request
        } catch (SSLException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        } catch (IOException | GeneralSecurityException e) {
            return Optional.of(e.toString());
        }
    }
}
