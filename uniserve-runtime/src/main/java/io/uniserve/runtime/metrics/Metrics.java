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

/**
 * A daemon's meters and, if asked for, the pages on which Prometheus reads them, and others whether the daemon lives and is
 * ready. Safe for use by several threads.
 */
public final class Metrics implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Metrics.class);
    private static final int NOT_FOUND = 404;
    private static final int OK = 200;
    private static final int UNAVAILABLE = 503;
    private static final int BACKLOG = 16;

    /** Of what is missing so many are named; all are counted. */
    private static final int TOLD_MAX = 100;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final @Nullable HttpServer server;
    private final @Nullable ExecutorService executor;
    private volatile @Nullable Health health;

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
        LOG.info("metrics at http://{}:{}/metrics", settings.host(), port()); // of port 0 nobody knows otherwise
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

    /** From now on {@code /live} and {@code /ready} tell this; before, they tell that the daemon starts. */
    public void health(Health of) {
        health = of;
    }

    private void answer(HttpExchange exchange) throws IOException {
        switch (exchange.getRequestURI().getPath()) {
            case "/metrics" -> send(exchange, OK, "text/plain; version=0.0.4; charset=utf-8", scrape());
            case "/live" -> tell(exchange, "live", Health::notLive);
            case "/ready" -> tell(exchange, "ready", Health::notReady);
            default -> send(exchange, NOT_FOUND, "text/plain; charset=utf-8", "see /metrics, /live and /ready\n");
        }
    }

    private void tell(HttpExchange exchange, String what, Function<Health, List<String>> question) throws IOException {
        Health asked = health;
        List<String> missing = asked == null ? List.of("it starts") : question.apply(asked);
        StringJoiner sentences = new StringJoiner(",", "[", "]");
        missing.stream().limit(TOLD_MAX).forEach(sentence -> sentences.add(quoted(sentence)));
        String body = "{\"" + what + "\":" + missing.isEmpty() + ",\"missing\":" + sentences + ",\"count\":"
                + missing.size() + "}\n";
        send(exchange, missing.isEmpty() ? OK : UNAVAILABLE, "application/json", body);
    }

    /** As JSON; the sentences hold names of tables and numbers, nothing that a person could have typed otherwise. */
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
