package io.uniserve.aws.ec2;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Metadata of an instance, version 2, over HTTP, with answers by script. It accepts only the newest token. */
final class TestingMetadataServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService pool = Executors.newCachedThreadPool();
    private volatile int tokens;
    private volatile boolean expired;
    final List<String> requests = new CopyOnWriteArrayList<>();
    volatile int tokenStatus = 200;
    volatile String tokenSuffix = "";
    volatile int status = 404;
    volatile String body = "";
    /** Length of the header; -1 for the body's, 0 for an answer in chunks. */
    volatile long declaredLength = -1;

    TestingMetadataServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/latest/api/token", this::serveToken);
        server.createContext("/latest/meta-data/", this::serveEntry);
        server.setExecutor(pool);
        server.start();
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Refuses the present token. */
    void expireToken() {
        expired = true;
    }

    private void serveToken(HttpExchange exchange) throws IOException {
        String seconds = exchange.getRequestHeaders().getFirst("X-aws-ec2-metadata-token-ttl-seconds");
        requests.add(exchange.getRequestMethod() + " token " + seconds);
        if (!exchange.getRequestMethod().equals("PUT") || seconds == null) {
            send(exchange, 400, "");
            return;
        }
        expired = false;
        int number = tokens + 1;
        tokens = number;
        send(exchange, tokenStatus, "token-" + number + "==" + tokenSuffix);
    }

    private void serveEntry(HttpExchange exchange) throws IOException {
        String token = exchange.getRequestHeaders().getFirst("X-aws-ec2-metadata-token");
        requests.add(
                exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath() + " " + token);
        boolean accepted = !expired && ("token-" + tokens + "==").equals(token);
        send(exchange, accepted ? status : 401, accepted ? body : "");
    }

    private void send(HttpExchange exchange, int code, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try {
            exchange.sendResponseHeaders(
                    code, declaredLength >= 0 ? declaredLength : bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        } catch (IOException e) {
            // the client ends an answer that is too large
        }
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        pool.shutdownNow();
    }
}
