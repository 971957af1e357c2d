package io.uniserve.benchmark.storage;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Reverse proxy of HTTP/1.1 in front of a store on this machine. It forwards every byte unchanged, as signatures cover the Host header,
 * counts requests, and fails a share of them on purpose. Thread-safe.
 */
final class S3CountingProxy implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int BACKLOG = 256;
    private static final int CONTINUE = 100;
    private static final int LINE_CHARS_MAX = 1_024;

    private final int target;
    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<S3RequestCounts.Kind, LongAdder> requests = new EnumMap<>(S3RequestCounts.Kind.class);
    private final LongAdder failed = new LongAdder();
    private final LongAdder bytesIn = new LongAdder();
    private final LongAdder bytesOut = new LongAdder();
    private final SplittableRandom random;
    private volatile double failShare;
    private volatile boolean closed;

    /** Injected failure of a request. */
    private enum Failure {
        INTERNAL_ERROR,
        UNAVAILABLE,
        /** The connection ends before the store sees the request. */
        NOT_SENT,
        /** The store executes the request, and its answer is lost. */
        ANSWER_LOST
    }

    /**
     * Starts a proxy at a free port.
     *
     * @param target port of the store on this machine
     * @param seed of the choice of failing requests
     */
    S3CountingProxy(int target, long seed) {
        this.target = target;
        this.random = new SplittableRandom(seed);
        for (S3RequestCounts.Kind kind : S3RequestCounts.Kind.values()) {
            requests.put(kind, new LongAdder());
        }
        try {
            listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot listen on the loopback interface", e);
        }
        start("storage-proxy", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Fails this share of the requests from now on, 0 for none. */
    void failShare(double share) {
        failShare = share;
    }

    /** Returns the requests since the start. */
    S3RequestCounts counts() {
        return new S3RequestCounts(
                count(S3RequestCounts.Kind.PUT),
                count(S3RequestCounts.Kind.LIST),
                count(S3RequestCounts.Kind.GET),
                count(S3RequestCounts.Kind.HEAD),
                count(S3RequestCounts.Kind.DELETE),
                failed.sum(),
                bytesIn.sum(),
                bytesOut.sum());
    }

    private long count(S3RequestCounts.Kind kind) {
        return adder(kind).sum();
    }

    private LongAdder adder(S3RequestCounts.Kind kind) {
        LongAdder adder = requests.get(kind);
        if (adder == null) {
            throw new IllegalStateException("no counter of " + kind);
        }
        return adder;
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!closed) {
            try {
                Socket client = listener.accept();
                start("storage-proxy-" + client.getPort(), () -> serve(client));
            } catch (IOException e) {
                if (!closed) {
                    throw new IllegalStateException("the proxy accepts no connections any more", e);
                }
            }
        }
    }

    private void serve(Socket client) {
        open.add(client);
        try (client;
                Socket store = new Socket(InetAddress.getLoopbackAddress(), target)) {
            open.add(store);
            client.setTcpNoDelay(true);
            store.setTcpNoDelay(true);
            Connection connection = new Connection(client, store);
            while (!closed && forward(connection)) {
                // Each round forwards one request and its answer.
            }
            open.remove(store);
        } catch (IOException e) {
            // One side has ended the connection, and now the other one ends too.
        } finally {
            open.remove(client);
        }
    }

    /** Forwards one request and its answer. Returns false if the connection ends after it. */
    private boolean forward(Connection connection) throws IOException {
        HttpMessageHead request = HttpMessageHead.read(connection.fromClient);
        if (request == null) {
            return false;
        }
        if (!request.firstLine().endsWith(" HTTP/1.1")) {
            throw new IOException("no request of HTTP/1.1: " + request.firstLine());
        }
        adder(S3RequestCounts.Kind.of(request.method(), request.target())).increment();
        Failure failure = drawFailure();
        if (failure != null) {
            failed.increment();
            fail(connection, request, failure);
            return false;
        }
        HttpMessageHead answer = send(connection, request);
        connection.toClient.write(answer.bytes());
        boolean lasts = copyAnswer(connection, request, answer, connection.toClient);
        connection.toClient.flush();
        return lasts && !request.closes() && !answer.closes();
    }

    /** Sends a request with its body to the store. Returns the head of its answer. */
    private HttpMessageHead send(Connection connection, HttpMessageHead request) throws IOException {
        connection.toStore.write(request.bytes());
        connection.toStore.flush();
        if (request.expectsContinue()) {
            HttpMessageHead early = answer(connection);
            if (early.status() != CONTINUE) {
                return early;
            }
            connection.toClient.write(early.bytes());
            connection.toClient.flush();
        }
        copyBody(connection.fromClient, connection.toStore, request, bytesIn);
        connection.toStore.flush();
        HttpMessageHead answer = answer(connection);
        return answer.status() == CONTINUE ? answer(connection) : answer;
    }

    private static HttpMessageHead answer(Connection connection) throws IOException {
        HttpMessageHead answer = HttpMessageHead.read(connection.fromStore);
        if (answer == null) {
            throw new EOFException("the store ended the connection");
        }
        return answer;
    }

    /** Copies the body of an answer. Returns false if the end of the connection is its end. */
    private boolean copyAnswer(Connection connection, HttpMessageHead request, HttpMessageHead answer, OutputStream to)
            throws IOException {
        if (!answer.hasBody(request.method())) {
            return true;
        }
        if (answer.contentLength() >= 0 || answer.isChunked()) {
            copyBody(connection.fromStore, to, answer, bytesOut);
            return true;
        }
        bytesOut.add(connection.fromStore.transferTo(to));
        return false;
    }

    private void fail(Connection connection, HttpMessageHead request, Failure failure) throws IOException {
        if (failure == Failure.ANSWER_LOST) {
            HttpMessageHead answer = send(connection, request);
            copyAnswer(connection, request, answer, OutputStream.nullOutputStream());
        } else if (failure != Failure.NOT_SENT) {
            if (!request.expectsContinue()) {
                copyBody(connection.fromClient, OutputStream.nullOutputStream(), request, bytesIn);
            }
            String status = failure == Failure.UNAVAILABLE ? "503 Service Unavailable" : "500 Internal Server Error";
            String code = failure == Failure.UNAVAILABLE ? "ServiceUnavailable" : "InternalError";
            String body = request.method().equals("HEAD")
                    ? ""
                    : "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>" + code
                            + "</Code><Message>injected by bench storage</Message></Error>";
            connection.toClient.write(("HTTP/1.1 " + status + "\r\nContent-Type: application/xml\r\nContent-Length: "
                            + body.length() + "\r\nConnection: close\r\n\r\n" + body)
                    .getBytes(StandardCharsets.ISO_8859_1));
            connection.toClient.flush();
        }
    }

    private @Nullable Failure drawFailure() {
        double share = failShare;
        if (share <= 0) {
            return null;
        }
        synchronized (random) {
            return random.nextDouble() < share ? Failure.values()[random.nextInt(Failure.values().length)] : null;
        }
    }

    private static void copyBody(InputStream from, OutputStream to, HttpMessageHead head, LongAdder counter)
            throws IOException {
        if (head.isChunked()) {
            copyChunks(from, to, counter);
        } else {
            copy(from, to, Math.max(0, head.contentLength()), counter);
        }
    }

    private static void copyChunks(InputStream from, OutputStream to, LongAdder counter) throws IOException {
        while (true) {
            String line = copyLine(from, to);
            int end = line.indexOf(';');
            long size = Long.parseLong((end < 0 ? line : line.substring(0, end)).strip(), 16);
            if (size == 0) {
                while (!copyLine(from, to).isEmpty()) {
                    // Trailers follow the last chunk, and an empty line ends them.
                }
                return;
            }
            copy(from, to, size, counter);
            copyLine(from, to);
        }
    }

    private static String copyLine(InputStream from, OutputStream to) throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int next = from.read();
            if (next < 0 || line.length() > LINE_CHARS_MAX) {
                throw new EOFException("the connection ended within a chunk");
            }
            to.write(next);
            if (next == '\n') {
                return line.toString().strip();
            }
            line.append((char) next);
        }
    }

    private static void copy(InputStream from, OutputStream to, long length, LongAdder counter) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        for (long left = length; left > 0; ) {
            int read = from.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (read < 0) {
                throw new EOFException("the connection ended " + left + " bytes before the body's end");
            }
            to.write(buffer, 0, read);
            counter.add(read);
            left -= read;
        }
    }

    /** Streams of a client's connection and of its own one to the store. */
    private static final class Connection {
        private final InputStream fromClient;
        private final OutputStream toClient;
        private final InputStream fromStore;
        private final OutputStream toStore;

        private Connection(Socket client, Socket store) throws IOException {
            fromClient = new BufferedInputStream(client.getInputStream(), BUFFER_BYTES);
            toClient = new BufferedOutputStream(client.getOutputStream(), BUFFER_BYTES);
            fromStore = new BufferedInputStream(store.getInputStream(), BUFFER_BYTES);
            toStore = new BufferedOutputStream(store.getOutputStream(), BUFFER_BYTES);
        }
    }

    /** Ends all connections. */
    @Override
    public void close() {
        closed = true;
        closeQuietly(listener);
        open.forEach(S3CountingProxy::closeQuietly);
    }

    private static void closeQuietly(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The measurement has ended, and nothing depends on the socket.
        }
    }
}
