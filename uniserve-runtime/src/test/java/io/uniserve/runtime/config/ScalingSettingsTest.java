package io.uniserve.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.placement.ScalingLimits;
import io.uniserve.protocol.coordinator.scaling.ScalingConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScalingSettingsTest {
    @TempDir
    private Path directory;

    private ScalingSettings load(String scaling) {
        return TestingTableConfigFiles.load(directory, "uniserve.coordinator.scaling { " + scaling + " }")
                .coordinator()
                .scaling();
    }

    @Test
    void defaultsAreThoseOfThePaperAndOff() {
        ScalingSettings settings = Settings.defaults().coordinator().scaling();
        assertThat(settings.isEnabled()).isFalse();
        assertThat(settings.config().periodNanos()).isZero();
        assertThat(settings.limits()).isEqualTo(ScalingLimits.defaults());
        assertThat(settings.process().command()).isEmpty();
    }

    @Test
    void fullMapping() {
        ScalingSettings settings = load("""
            provider = process, policy = threshold, period = 2m, servers-min = 3, servers-max = 40, cost-per-server = 2.5
            cost-max = 20, add-above = 60%, remove-below = 20%, data-max = 90%, step = 4, spare-servers = 2
            add-periods = 5, remove-periods = 6, pause = 7s, reversal = 8s, launch-timeout = 9s, drain-timeout = 10s
            list-period = 11s, call-timeout = 12s, policy-timeout = 13s, keep-ended = 14s, template = small
            process { directory = /srv, command = [a, b], arguments = [c], stop-grace = 15s }
            """);
        assertThat(settings.isEnabled()).isTrue();
        assertThat(settings.limits()).isEqualTo(new ScalingLimits(0.2, 0.6, 0.9, 4, 3, 8, 2));
        assertThat(settings.config())
                .isEqualTo(new ScalingConfig(
                        Duration.ofMinutes(2).toNanos(),
                        3,
                        8,
                        5,
                        6,
                        Duration.ofSeconds(7).toNanos(),
                        Duration.ofSeconds(8).toNanos(),
                        Duration.ofSeconds(9).toNanos(),
                        Duration.ofSeconds(10).toNanos(),
                        Duration.ofSeconds(11).toNanos(),
                        Duration.ofSeconds(12).toNanos(),
                        Duration.ofSeconds(13).toNanos(),
                        Duration.ofSeconds(14).toNanos(),
                        "small"));
        assertThat(settings.process())
                .isEqualTo(new ScalingSettings.Process(
                        Path.of("/srv"), List.of("a", "b"), List.of("c"), Duration.ofSeconds(15)));
    }

    @Test
    void valuesThatContradictEachOtherAreRefusedByName() {
        for (String wrong : List.of(
                "servers-min = 11",
                "servers-max = 0",
                "remove-below = 70%",
                "add-above = 30%",
                "data-max = 0%",
                "step = 0",
                "spare-servers = -1",
                "cost-max = 5",
                "add-periods = 0",
                "launch-timeout = 0s",
                "period = 10ms",
                "pause = 25h")) {
            assertThatThrownBy(() -> load(wrong)).as(wrong).hasMessageContaining("uniserve.coordinator.scaling.");
        }
        assertThatThrownBy(() -> load("cost-per-server = 7, cost-max = 5"))
                .hasMessageContaining("uniserve.coordinator.scaling.cost-max");
        assertThatThrownBy(() -> load("servers-min = 3, cost-per-server = 7, cost-max = 20"))
                .hasMessageContaining("uniserve.coordinator.scaling.servers-min");
    }
}
