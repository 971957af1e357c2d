package io.uniserve.benchmark.measure;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counter of ZooKeeper calls of servers, read from their Prometheus metrics. */
public final class ZooKeeperCallCounter {
    /** Settings with which servers must be started, so that they export metrics. */
    public static final Map<String, String> SETTINGS =
            Map.of("metrics.prometheus.enabled", "true", "metrics.prometheus.port", "0");

    private static final Pattern PAGE = Pattern.compile("metrics at (http://\\S+)");
    private static final Pattern COUNT = Pattern.compile("(?m)^uniserve_registry_calls_total\\{[^}]*} (\\S+)$");

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<URI> pages;

    /** Reads the addresses of the metrics from the logs of ready servers. */
    public ZooKeeperCallCounter(Collection<Path> logs) {
        pages = logs.stream().map(ZooKeeperCallCounter::metricsPage).toList();
    }

    private static URI metricsPage(Path log) {
        try {
            Matcher match = PAGE.matcher(Files.readString(log));
            if (!match.find()) {
                throw new UniserveException(ErrorCode.INTERNAL, log + " has no address of the metrics");
            }
            return URI.create(match.group(1));
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read " + log, e);
        }
    }

    /** Returns the calls of all servers and kinds since their start. */
    public long total() {
        return pages.stream().mapToLong(this::total).sum();
    }

    private long total(URI page) {
        try {
            String text = http.send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
            double calls = 0;
            Matcher counts = COUNT.matcher(text);
            while (counts.find()) {
                calls += Double.parseDouble(counts.group(1));
            }
            return Math.round(calls);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read " + page, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted while reading " + page, e);
        }
    }
}
