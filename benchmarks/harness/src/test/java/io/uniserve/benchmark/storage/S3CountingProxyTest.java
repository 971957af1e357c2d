package io.uniserve.benchmark.storage;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Forwarded bytes, counts and injected failures, before an HTTP server that echoes. */
class S3CountingProxyTest {
    private static final int BIG = 300_000;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<String> hosts = new CopyOnWriteArrayList<>();
    private final ExecutorService pool = Executors.newCachedThreadPool();
    private HttpServer store;
    private S3CountingProxy proxy;

    @BeforeEach
    void start() throws IOException {
        store = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        store.setExecutor(pool);
        store.createContext("/", this::answer);
        store.start();
        proxy = new S3CountingProxy(store.getAddress().getPort(), 7);
    }

    @AfterEach
    void stop() {
        proxy.close();
        store.stop(0);
        pool.shutdownNow();
    }

    /** Echoes the body, in chunks if the path says so; status 404 for GET. */
    private void answer(HttpExchange exchange) throws IOException {
        hosts.add(String.valueOf(exchange.getRequestHeaders().getFirst("Host")));
        byte[] body = exchange.getRequestBody().readAllBytes();
        boolean isChunked = exchange.getRequestURI().getPath().contains("chunked");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(200, -1);
        } else {
            int status = exchange.getRequestMethod().equals("GET") ? 404 : 200;
            exchange.sendResponseHeaders(status, isChunked ? 0 : body.length == 0 ? -1 : body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        }
        exchange.close();
    }

    private HttpResponse<byte[]> send(String method, String path, byte[] body, boolean expects)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + proxy.port() + path))
                .method(method, BodyPublishers.ofByteArray(body))
                .expectContinue(expects)
                .build();
        return client.send(request, BodyHandlers.ofByteArray());
    }

    @Test
    void bytesPassUnchangedAndAreCounted() throws Exception {
        byte[] big = "x".repeat(BIG).getBytes(StandardCharsets.US_ASCII);
        assertThat(send("PUT", "/b/k", big, false).body()).isEqualTo(big);
        assertThat(send("PUT", "/b/chunked", big, true).body()).isEqualTo(big);
        assertThat(send("PUT", "/b/empty", new byte[0], false).statusCode()).isEqualTo(200);
        assertThat(send("GET", "/b/k", new byte[0], false).statusCode()).isEqualTo(404);
        assertThat(send("HEAD", "/b/k", new byte[0], false).statusCode()).isEqualTo(200);
        assertThat(hosts).hasSize(5).containsOnly("127.0.0.1:" + proxy.port());
        assertThat(proxy.counts()).isEqualTo(new S3RequestCounts(3, 0, 1, 1, 0, 0, 2L * BIG, 2L * BIG));
        S3RequestCounts counts = proxy.counts();
        assertThat(counts.total()).isEqualTo(5);
        assertThat(counts.minus(counts).total()).isZero();
        assertThat(counts.text()).startsWith("5 requests (3 PUT, 0 LIST, 1 GET, 1 HEAD, 0 DELETE), 0.6 MiB in");
    }

    @Test
    void aShareOfTheRequestsFailsInEachWay() throws Exception {
        proxy.failShare(1);
        int ended = 0;
        int errors = 0;
        for (int i = 0; i < 40; i++) {
            String answer = raw("PUT /b/k HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab");
            ended += answer.isEmpty() ? 1 : 0;
            errors += answer.matches("(?s)HTTP/1.1 50[03] .*<Code>(InternalError|ServiceUnavailable)</Code>.*") ? 1 : 0;
        }
        assertThat(ended).isPositive();
        assertThat(errors).isPositive();
        assertThat(ended + errors).isEqualTo(40);
        assertThat(hosts).as("requests whose answer was lost").isNotEmpty().hasSizeLessThan(ended);
        assertThat(proxy.counts().failed()).isEqualTo(40);
        proxy.failShare(0);
        assertThat(send("PUT", "/b/k", new byte[1], false).statusCode()).isEqualTo(200);
        assertThat(proxy.counts().failed()).isEqualTo(40);
    }

    @Test
    void otherProtocolsEndTheConnection() throws Exception {
        assertThat(raw("hello\r\n\r\n")).isEmpty();
        assertThat(proxy.counts().total()).isZero();
    }

    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }
}
