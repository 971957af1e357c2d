package io.uniserve.runtime.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.MetricsSettings;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.http.HttpCaller;
import io.uniserve.runtime.transport.http.HttpListener;
import io.uniserve.runtime.transport.http.HttpListener.Bounds;
import io.uniserve.runtime.transport.http.HttpReply;
import io.uniserve.runtime.transport.http.HttpRoute;
import io.uniserve.runtime.transport.http.RouteAccess;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Meters of a daemon and, if enabled, its HTTP listener for Prometheus and for the checks of liveness and readiness. Thread-safe. */
public final class MetricsServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsServer.class);

    /** Limit of listed missing conditions; all are counted. */
    private static final int LISTED_MAX = 100;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final RouteAccess access;
    private final @Nullable HttpListener listener;
    private volatile @Nullable DaemonHealthCheck health;

    /**
     * Starts the HTTP listener if it is enabled.
     *
     * @param tls certificate of the process, and the authorities of callers; its owner closes it afterwards
     * @throws UniserveException INVALID_CONFIGURATION if the port is in use
     */
    public MetricsServer(MetricsSettings settings, ReloadingTls tls) {
        this(settings, tls, Bounds.DEFAULT);
    }

    MetricsServer(MetricsSettings settings, ReloadingTls tls, Bounds bounds) {
        access = new RouteAccess(settings, tls);
        if (!settings.enabled()) {
            listener = null;
            return;
        }
        listener = new HttpListener(settings, tls, bounds, this::answer);
        LOG.info(
                "metrics at {}://{}:{}/metrics", // with port 0 only this has it
                settings.tls() ? "https" : "http",
                settings.host(),
                port());
    }

    /** Registry of the meters. */
    public MeterRegistry registry() {
        return registry;
    }

    /** All meters in Prometheus' text format. */
    public String scrape() {
        return registry.scrape();
    }

    /** Port of the HTTP listener, 0 if it is not enabled. */
    public int port() {
        return listener == null ? 0 : listener.port();
    }

    /** Sets the checks behind {@code /live} and {@code /ready}. Before, they report that the daemon starts. */
    public void health(DaemonHealthCheck of) {
        health = of;
    }

    /**
     * Sets who may do what. Before, a route that needs a right is refused, unless the settings permit it to anyone.
     *
     * @param cluster name of this process's cluster
     */
    public void access(AccessControl control, String cluster) {
        access.setRules(control, cluster);
    }

    /** Makes the page of a route. A route without a page does not compile. */
    private HttpReply answer(HttpRoute route, HttpCaller caller) {
        try {
            access.check(route, caller);
        } catch (UniserveException refused) {
            return HttpReply.of(refused);
        }
        return switch (route) {
            case METRICS -> new HttpReply(HttpReply.OK, "text/plain; version=0.0.4; charset=utf-8", scrape());
            case LIVE -> check("live", DaemonHealthCheck::notLive, access.maySeeDetails(caller));
            case READY -> check("ready", DaemonHealthCheck::notReady, access.maySeeDetails(caller));
        };
    }

    /** @param details true to name what is missing: the sentences have names of tables */
    private HttpReply check(String what, Function<DaemonHealthCheck, List<String>> question, boolean details) {
        DaemonHealthCheck asked = health;
        List<String> missing = asked == null ? List.of("it starts") : question.apply(asked);
        StringJoiner sentences = new StringJoiner(",", ",\"missing\":[", "]");
        missing.stream().limit(LISTED_MAX).forEach(sentence -> sentences.add(HttpReply.quoted(sentence)));
        return HttpReply.json(
                missing.isEmpty() ? HttpReply.OK : HttpReply.UNAVAILABLE,
                "{\"" + what + "\":" + missing.isEmpty() + (details ? sentences : "") + ",\"count\":" + missing.size()
                        + "}");
    }

    @Override
    public void close() {
        if (listener != null) {
            listener.close();
        }
        registry.close();
    }
}
