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
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Meters of a daemon and, if enabled, its HTTP server for Prometheus and for the checks of liveness and readiness. Thread-safe. */
public final class MetricsServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsServer.class);
    private static final int NOT_FOUND = 404;
    private static final int OK = 200;
    private static final int UNAVAILABLE = 503;
    private static final int BACKLOG = 16;

    /** Limit of listed missing conditions; all are counted. */
    private static final int LISTED_MAX = 100;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final @Nullable HttpServer server;
    private final @Nullable ExecutorService executor;
    private volatile @Nullable DaemonHealthCheck health;

    /** Starts the HTTP server if it is enabled. Fails with INVALID_CONFIGURATION if its port is in use. */
    public MetricsServer(MetricsSettings settings) {
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
        server.createContext("/", this::handle);
        server.start();
        LOG.info("metrics at http://{}:{}/metrics", settings.host(), port()); // with port 0 only this has it
    }

    /** Registry of the meters. */
    public MeterRegistry registry() {
        return registry;
    }

    /** All meters in Prometheus' text format. */
    public String scrape() {
        return registry.scrape();
    }

    /** Port of the HTTP server, 0 if it is not enabled. */
    public int port() {
        return server == null ? 0 : server.getAddress().getPort();
    }

    /** Sets the checks behind {@code /live} and {@code /ready}. Before, they report that the daemon starts. */
    public void health(DaemonHealthCheck of) {
        health = of;
    }

    private void handle(HttpExchange exchange) throws IOException {
        switch (exchange.getRequestURI().getPath()) {
            case "/metrics" -> send(exchange, OK, "text/plain; version=0.0.4; charset=utf-8", scrape());
            case "/live" -> sendCheck(exchange, "live", DaemonHealthCheck::notLive);
            case "/ready" -> sendCheck(exchange, "ready", DaemonHealthCheck::notReady);
            default -> send(exchange, NOT_FOUND, "text/plain; charset=utf-8", "see /metrics, /live and /ready\n");
        }
    }

    private void sendCheck(HttpExchange exchange, String what, Function<DaemonHealthCheck, List<String>> question)
            throws IOException {
        DaemonHealthCheck asked = health;
        List<String> missing = asked == null ? List.of("it starts") : question.apply(asked);
        StringJoiner sentences = new StringJoiner(",", "[", "]");
        missing.stream().limit(LISTED_MAX).forEach(sentence -> sentences.add(quoted(sentence)));
        String body = "{\"" + what + "\":" + missing.isEmpty() + ",\"missing\":" + sentences + ",\"count\":"
                + missing.size() + "}\n";
        send(exchange, missing.isEmpty() ? OK : UNAVAILABLE, "application/json", body);
    }

    /** JSON string. The sentences have names of tables and numbers only, so these two escapes are enough. */
    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static void send(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length);
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
