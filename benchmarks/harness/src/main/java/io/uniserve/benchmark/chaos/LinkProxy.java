package io.uniserve.benchmark.chaos;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/**
 * Proxy before one daemon. It listens at the advertised address and forwards bytes to the daemon's own address, as allowed by the {@link
 * LinkFaultInjector}. It identifies callers by their local port. Thread-safe.
 */
final class LinkProxy implements AutoCloseable {
    private static final int BACKLOG = 128;
    private static final int BUFFER_BYTES = 16 * 1024;
    private static final int CONNECT_MS_MAX = 5_000;

    private final String target;
    private final InetAddress targetHost;
    private final LinkFaultInjector linkFaultInjector;
    private final IntFunction<String> sources;
    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param target the daemon's name
     * @param front the advertised address; the system chooses the port
     * @param behind the address at which the daemon listens, with the same port
     * @param sources returns the name of the process that has this local port
     */
    LinkProxy(
            String target,
            String front,
            String behind,
            LinkFaultInjector linkFaultInjector,
            IntFunction<String> sources) {
        this.target = target;
        this.linkFaultInjector = linkFaultInjector;
        this.sources = sources;
        try {
            this.targetHost = InetAddress.getByName(behind);
            this.listener = new ServerSocket(0, BACKLOG, InetAddress.getByName(front));
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.IO,
                    "cannot listen on " + front
                            + ": chaos needs all of 127.0.0.0/8 on the loopback interface, as Linux has" + " it",
                    e);
        }
        startThread("accept", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void startThread(String what, Runnable work) {
        Thread thread = new Thread(work, "link-" + target + "-" + what);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!closed) {
            try {
                Socket from = listener.accept();
                open.add(from);
                startThread("connect", () -> connect(from));
            } catch (IOException e) {
                if (!closed) {
                    throw new UniserveException(ErrorCode.IO, "the proxy of " + target + " cannot accept", e);
                }
            }
        }
    }

    private void connect(Socket from) {
        String source = sources.apply(from.getPort());
        Socket to = new Socket();
        open.add(to);
        try {
            if (!linkFaultInjector.awaitPassage(source, target)) {
                end(from, to);
                return;
            }
            to.connect(new InetSocketAddress(targetHost, port()), CONNECT_MS_MAX);
            to.setTcpNoDelay(true);
            from.setTcpNoDelay(true);
            startThread("back", () -> forward(to, from, target, source));
        } catch (IOException e) {
            end(from, to); // no process listens there: the caller's connection is closed
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end(from, to);
            return;
        }
        forward(from, to, source, target);
    }

    private void forward(Socket in, Socket out, String from, String to) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            InputStream reader = in.getInputStream();
            OutputStream writer = out.getOutputStream();
            for (int count = reader.read(buffer); count >= 0; count = reader.read(buffer)) {
                if (!linkFaultInjector.awaitPassage(from, to)) {
                    break;
                }
                writer.write(buffer, 0, count);
            }
            linkFaultInjector.awaitPassage(from, to); // the end of a connection is delayed like its bytes
        } catch (IOException e) {
            // One end is closed: closing below notifies the other one.
            end(in, out);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            end(in, out);
        }
    }

    private void end(Socket... sockets) {
        for (Socket socket : sockets) {
            open.remove(socket);
            closeQuietly(socket);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot close a socket", e);
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
        open.forEach(LinkProxy::closeQuietly);
    }
}
