package io.uniserve.runtime.config;

/** Settings of the HTTP endpoint for Prometheus; port 0 uses any free port. */
public record MetricsSettings(boolean enabled, String host, int port) {
    static MetricsSettings of(ConfigSection root) {
        ConfigSection prometheus = root.section("metrics").section("prometheus");
        return new MetricsSettings(
                prometheus.flag("enabled"), prometheus.textNotEmpty("host"), prometheus.port("port"));
    }
}
