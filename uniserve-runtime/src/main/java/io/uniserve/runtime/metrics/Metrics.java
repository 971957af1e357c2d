package io.uniserve.runtime.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.MetricsSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A daemon's meters and, if asked for, the page on which Prometheus reads them. Safe for use by several threads. */
public final class Metrics implements AutoCloseable {
    private static final int NOT_FOUND = 404;
    private static final int OK = 200;
    private static final int BACKLOG = 16;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final @Nullable HttpServer server;
    private final @Nullable ExecutorService executor;

    /** Opens the page where it is enabled; INVALID_CONFIGURATION where its port is taken. */
    public Metrics(MetricsSettings settings) {
        if (!settings.enabled()) {
            server = null;
            executor = null;
            return;
        }
        try {
            server = HttpServer.create(new InetSocketAddress(settings.host(), settings.port()), BACKLOG);
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "cannot listen on " + settings.host() + ":" + settings.port() + " for metrics: " + e.getMessage()
                            + "; choose another metrics.prometheus.port",
                    e);
        }
        executor = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "uniserve-metrics");
            thread.setDaemon(true);
            return thread;
        });
        server.setExecutor(executor);
        server.createContext("/", this::answer);
        server.start();
    }

    /** Where meters are registered. */
    public MeterRegistry registry() {
        return registry;
    }

    /** All meters in Prometheus' text format. */
    public String scrape() {
        return registry.scrape();
    }

    /** The page's port, 0 where there is none. */
    public int port() {
        return server == null ? 0 : server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        boolean known = exchange.getRequestURI().getPath().equals("/metrics");
        byte[] body = (known ? scrape() : "see /metrics\n").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
        exchange.sendResponseHeaders(known ? OK : NOT_FOUND, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    @Override
    public void close() {
        if (server != null) {
            server.stop(0);
        }
        if (executor != null) {
            executor.shutdownNow();
        }
        registry.close();
    }
}
