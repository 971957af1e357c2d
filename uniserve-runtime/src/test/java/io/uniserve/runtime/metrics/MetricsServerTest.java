package io.uniserve.runtime.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.runtime.config.MetricsSettings;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.time.SystemClock;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class MetricsServerTest {
    @Test
    void isOffByDefault() {
        try (MetricsServer metrics = new MetricsServer(new MetricsSettings(false, "127.0.0.1", 0))) {
            metrics.registry().counter("uniserve.reads").increment();
            assertThat(metrics.port()).isZero();
            assertThat(metrics.scrape()).contains("uniserve_reads_total 1.0");
        }
    }

    @Test
    void tellsPrometheus() throws IOException, InterruptedException {
        try (MetricsServer metrics = new MetricsServer(new MetricsSettings(true, "127.0.0.1", 0))) {
            metrics.registry().counter("uniserve.reads").increment(3);
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + metrics.port() + "/metrics"))
                    .build();
            assertThat(client.send(request, BodyHandlers.ofString()).body()).contains("uniserve_reads_total 3.0");
            assertThatThrownBy(() -> new MetricsServer(new MetricsSettings(true, "127.0.0.1", metrics.port())))
                    .hasMessageContaining("metrics.prometheus.port");
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
        try (MetricsServer metrics = new MetricsServer(new MetricsSettings(true, "127.0.0.1", 0))) {
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

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
