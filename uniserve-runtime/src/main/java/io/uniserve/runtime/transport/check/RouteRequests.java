package io.uniserve.runtime.transport.check;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.MetricsSettings;
import io.uniserve.runtime.config.MetricsSettings.Access;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.metrics.DaemonHealthCheck;
import io.uniserve.runtime.metrics.MetricsServer;
import io.uniserve.runtime.security.PeerTrustManager;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.http.HttpRoute;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/** Requests to each HTTP route of a listener of this process, over real connections. Not thread-safe. */
final class RouteRequests implements AutoCloseable {
    private static final String HOST = InetAddress.getLoopbackAddress().getHostAddress();
    private static final int READ_MS = (int) TimeUnit.SECONDS.toMillis(10);
    private static final String OK = "HTTP/1.1 200 ";
    private static final String FORBIDDEN = "HTTP/1.1 403 ";

    private final String cluster;
    private final ReloadingTls tls;
    private final EventLoop loop = new EventLoop("uniserve-check", SystemClock.INSTANCE, failure -> {});
    private final MetricsServer metrics;

    /** Opens a listener of a process with these certificates, with these rights of callers. */
    RouteRequests(String cluster, TlsFiles server, AccessControl access) {
        this.cluster = cluster;
        tls = ReloadingTls.read(server, SystemClock.INSTANCE);
        metrics = new MetricsServer(new MetricsSettings(true, HOST, 0, true, Access.MONITOR), tls);
        metrics.access(access, cluster);
        metrics.health(new DaemonHealthCheck(loop, List::of));
    }

    /**
     * Requests a route.
     *
     * @param reached incremented if its page came back
     * @return UNAUTHORIZED if it was refused; UNAVAILABLE if the connection failed
     */
    Optional<ErrorCode> send(HttpRoute route, TlsFiles caller, AtomicInteger reached) {
        try (Socket socket = connect(caller)) {
            socket.setSoTimeout(READ_MS);
            socket.getOutputStream()
                    .write(("GET " + route.path() + " HTTP/1.0\r\nHost: localhost\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String reply = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (reply.startsWith(OK)) {
                reached.incrementAndGet();
                return Optional.empty();
            }
            return Optional.of(reply.startsWith(FORBIDDEN) ? ErrorCode.UNAUTHORIZED : ErrorCode.INTERNAL);
        } catch (IOException e) {
            return Optional.of(ErrorCode.UNAVAILABLE);
        }
    }

    private Socket connect(TlsFiles caller) throws IOException {
        if (!caller.enabled()) {
            return new Socket(HOST, metrics.port());
        }
        try (ReloadingTls own = ReloadingTls.read(caller, SystemClock.INSTANCE)) {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    new KeyManager[] {own.keyManager()},
                    new TrustManager[] {new PeerTrustManager(own.trustManager(), () -> cluster, leaf -> false)},
                    null);
            return context.getSocketFactory().createSocket(HOST, metrics.port());
        } catch (GeneralSecurityException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "the JDK cannot make TLS connections", e);
        }
    }

    @Override
    public void close() {
        metrics.close();
        loop.close();
        tls.close();
    }
}
