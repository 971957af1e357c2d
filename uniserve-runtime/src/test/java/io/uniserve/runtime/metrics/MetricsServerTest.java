package io.uniserve.runtime.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.limit.Limits;
import io.uniserve.model.access.Right;
import io.uniserve.runtime.config.MetricsSettings;
import io.uniserve.runtime.config.MetricsSettings.Access;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.proto.SecurityProto.Callers;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.http.HttpListener.Bounds;
import io.uniserve.runtime.transport.http.HttpRoute;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class MetricsServerTest {
    private static final Duration WAIT = Duration.ofSeconds(10);

    private static MetricsServer open(boolean enabled, int port) {
        return open(new MetricsSettings(enabled, "127.0.0.1", port, false, Access.ANYONE), Bounds.DEFAULT);
    }

    private static MetricsServer open(MetricsSettings settings, Bounds bounds) {
        return new MetricsServer(settings, ReloadingTls.read(TlsFiles.PLAIN, SystemClock.INSTANCE), bounds);
    }

    @Test
    void isOffByDefault() {
        try (MetricsServer metrics = open(false, 0)) {
            metrics.registry().counter("uniserve.reads").increment();
            assertThat(metrics.port()).isZero();
            assertThat(metrics.scrape()).contains("uniserve_reads_total 1.0");
        }
    }

    @Test
    void tellsPrometheus() throws IOException, InterruptedException {
        try (MetricsServer metrics = open(true, 0)) {
            metrics.registry().counter("uniserve.reads").increment(3);
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + metrics.port() + "/metrics"))
                    .build();
            assertThat(client.send(request, BodyHandlers.ofString()).body()).contains("uniserve_reads_total 3.0");
            assertThatThrownBy(() -> open(true, metrics.port())).hasMessageContaining("metrics.prometheus.port");
        }
    }

    private static HttpResponse<String> get(MetricsServer metrics, String page)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + metrics.port() + page))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }

    @Test
    void tellsWhetherTheDaemonLivesAndIsReady() throws IOException, InterruptedException {
        AtomicReference<Throwable> fatal = new AtomicReference<>();
        AtomicReference<List<String>> missing = new AtomicReference<>(List.of("table \"t\"/0 is not in sync"));
        EventLoop loop = new EventLoop("test", SystemClock.INSTANCE, fatal::set);
        try (MetricsServer metrics = open(true, 0)) {
            assertThat(get(metrics, "/live").statusCode()).isEqualTo(503);
            metrics.health(new DaemonHealthCheck(loop, missing::get));
            assertThat(get(metrics, "/live").statusCode()).isEqualTo(200);
            assertThat(get(metrics, "/ready").statusCode()).isEqualTo(503);
            assertThat(get(metrics, "/ready").body())
                    .isEqualTo("{\"ready\":false,\"missing\":[\"table \\\"t\\\"/0 is not in sync\"],\"count\":1}\n");
            missing.set(List.of());
            assertThat(get(metrics, "/ready").body()).isEqualTo("{\"ready\":true,\"missing\":[],\"count\":0}\n");
            assertThat(get(metrics, "/other").statusCode()).isEqualTo(404);
            CountDownLatch stuck = new CountDownLatch(1);
            loop.execute(() -> awaitQuietly(stuck));
            assertThat(get(metrics, "/live").statusCode())
                    .as("a loop that stands still")
                    .isEqualTo(503);
            stuck.countDown();
            loop.close();
            assertThat(get(metrics, "/live").body()).contains("its loop is overloaded or has ended");
        }
        assertThat(fatal.get()).isNull();
    }

    @Test
    void everyRouteHasAPageAndDeclaresItsCallers() throws IOException, InterruptedException {
        try (MetricsServer metrics = open(true, 0)) {
            for (HttpRoute route : HttpRoute.values()) {
                assertThat(route.callers()).isNotEqualTo(Callers.NONE);
                assertThat(route.callers() == Callers.ANYONE)
                        .as("%s needs no right exactly if it is for anyone", route)
                        .isEqualTo(route.right() == Right.CONNECT);
                assertThat(get(metrics, route.path() + "?a=b").statusCode()).isNotEqualTo(404);
            }
            for (String path : List.of("/", "/metrics/", "/metrics/..", "/Metrics", "/%6detrics", "//metrics")) {
                assertThat(get(metrics, path).statusCode()).as(path).isEqualTo(404);
            }
        }
    }

    @Test
    void rightsThatAreNotKnownYetAreRefused() throws IOException, InterruptedException {
        MetricsSettings monitor = new MetricsSettings(true, "127.0.0.1", 0, false, Access.MONITOR);
        try (MetricsServer metrics = open(monitor, Bounds.DEFAULT)) {
            assertThat(get(metrics, "/metrics").statusCode()).isEqualTo(503);
            assertThat(get(metrics, "/live").body()).isEqualTo("{\"live\":false,\"count\":1}\n");
        }
    }

    @Test
    void onlyGetAndHeadAreAnswered() throws IOException {
        try (MetricsServer metrics = open(true, 0)) {
            assertThat(exchange(metrics, "POST /metrics HTTP/1.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 405 ")
                    .containsIgnoringCase("allow: GET, HEAD");
            assertThat(exchange(metrics, "HEAD /metrics HTTP/1.0\r\n\r\n"))
                    .startsWith("HTTP/1.1 200 ")
                    .endsWith("\r\n\r\n");
            assertThat(exchange(metrics, "no http\r\n\r\n")).startsWith("HTTP/1.1 400 ");
            String large = "x".repeat(Limits.HTTP_HEADER_BYTES_MAX);
            assertThat(exchange(metrics, "GET /metrics HTTP/1.1\r\nA: " + large + "\r\n\r\n"))
                    .startsWith("HTTP/1.1 400 ");
        }
    }

    @Test
    void aConnectionIsUsedAgainAndTwoRequestsAtOnceEndIt() throws IOException {
        try (MetricsServer metrics = open(true, 0);
                Socket socket = connect(metrics)) {
            for (int i = 0; i < 3; i++) {
                write(socket, "GET /other HTTP/1.1\r\n\r\n");
                assertThat(readUntil(socket, "/ready\n")).startsWith("HTTP/1.1 404 ");
            }
            write(socket, "GET /metrics HTTP/1.1\r\n\r\n".repeat(2));
            assertThat(socket.getInputStream().readAllBytes()).isEmpty();
        }
    }

    @Test
    void slowAndSilentConnectionsAreClosed() throws IOException, InterruptedException {
        Bounds bounds = new Bounds(4, 200, 200);
        MetricsSettings settings = new MetricsSettings(true, "127.0.0.1", 0, false, Access.ANYONE);
        try (MetricsServer metrics = open(settings, bounds);
                Socket silent = connect(metrics);
                Socket slow = connect(metrics);
                Socket idle = connect(metrics)) {
            write(slow, "GET /metrics HTTP/1.1\r\nA: b\r\n");
            write(idle, "GET /other HTTP/1.1\r\n\r\n");
            assertThat(get(metrics, "/live").statusCode()).as("meanwhile").isEqualTo(503);
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
            assertThat(slow.getInputStream().read()).isEqualTo(-1);
            assertThat(idle.getInputStream().readAllBytes()).isNotEmpty();
        }
    }

    @Test
    void withTooManyConnectionsTheOneThatHasWaitedLongestIsClosed() throws IOException, InterruptedException {
        long never = Duration.ofHours(1).toMillis();
        MetricsSettings settings = new MetricsSettings(true, "127.0.0.1", 0, false, Access.ANYONE);
        try (MetricsServer metrics = open(settings, new Bounds(2, never, never));
                Socket first = connect(metrics);
                Socket second = connect(metrics)) {
            write(second, "GET /other HTTP/1.1\r\n\r\n");
            assertThat(readUntil(second, "/ready\n")).startsWith("HTTP/1.1 404 ");
            assertThat(get(metrics, "/live").statusCode()).isEqualTo(503);
            assertThat(first.getInputStream().read()).isEqualTo(-1);
            write(second, "GET /other HTTP/1.1\r\n\r\n");
            assertThat(readUntil(second, "/ready\n")).startsWith("HTTP/1.1 404 ");
        }
    }

    private static Socket connect(MetricsServer metrics) throws IOException {
        Socket socket = new Socket("127.0.0.1", metrics.port());
        socket.setSoTimeout((int) WAIT.toMillis());
        return socket;
    }

    private static void write(Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }

    private static String readUntil(Socket socket, String end) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(end) < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as(read.toString()).isNotEqualTo(-1);
            read.append((char) next);
        }
        return read.toString();
    }

    private static String exchange(MetricsServer metrics, String request) throws IOException {
        try (Socket socket = connect(metrics)) {
            write(socket, request);
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
