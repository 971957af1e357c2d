package io.uniserve.runtime.config;

/** Whether and where Prometheus finds the metrics; port 0 takes any free one. */
public record MetricsSettings(boolean enabled, String host, int port) {
    static MetricsSettings of(Section root) {
        Section prometheus = root.section("metrics").section("prometheus");
        return new MetricsSettings(
                prometheus.flag("enabled"), prometheus.textNotEmpty("host"), prometheus.port("port"));
    }
}
