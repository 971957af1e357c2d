package io.uniserve.runtime.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.runtime.config.MetricsSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

class MetricsTest {
    @Test
    void isOffByDefault() {
        try (Metrics metrics = new Metrics(new MetricsSettings(false, "127.0.0.1", 0))) {
            metrics.registry().counter("uniserve.reads").increment();
            assertThat(metrics.port()).isZero();
            assertThat(metrics.scrape()).contains("uniserve_reads_total 1.0");
        }
    }

    @Test
    void tellsPrometheus() throws IOException, InterruptedException {
        try (Metrics metrics = new Metrics(new MetricsSettings(true, "127.0.0.1", 0))) {
            metrics.registry().counter("uniserve.reads").increment(3);
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + metrics.port() + "/metrics"))
                    .build();
            assertThat(client.send(request, BodyHandlers.ofString()).body()).contains("uniserve_reads_total 3.0");
            assertThatThrownBy(() -> new Metrics(new MetricsSettings(true, "127.0.0.1", metrics.port())))
                    .hasMessageContaining("metrics.prometheus.port");
        }
    }
}
