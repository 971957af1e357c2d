package io.uniserve.runtime.config;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.placement.ScalingLimits;
import io.uniserve.protocol.coordinator.scaling.ScalingConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Settings of the auto-scaler; {@code reference.conf} explains each.
 *
 * @param provider name of the provider of servers; empty to turn scaling off
 * @param policy {@code threshold}, or the name of a class
 * @param config limits of the state machine
 * @param limits thresholds of the policy {@code threshold}
 * @param process settings of the provider {@code process}
 * @param ec2 settings of the provider {@code ec2}; lists are joined by commas
 */
public record ScalingSettings(
        String provider,
        String policy,
        ScalingConfig config,
        ScalingLimits limits,
        Process process,
        Map<String, String> ec2) {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofHours(24);
    private static final double COST_MAX = 1e9;
    private static final String EC2 = "ec2";

    /**
     * Servers as processes on the coordinator's machine.
     *
     * @param directory folder with one folder per server
     * @param command command that starts a server, without its last arguments; empty for this installation's
     * @param arguments further arguments of each server
     * @param stopGrace time between SIGTERM and SIGKILL
     */
    public record Process(Path directory, List<String> command, List<String> arguments, Duration stopGrace) {
        public Process {
            command = List.copyOf(command);
            arguments = List.copyOf(arguments);
        }
    }

    /** Settings of a provider in jars of its own. */
    public Map<String, String> options(String name) {
        return name.equals(EC2) ? ec2 : Map.of();
    }

    /** True if servers are added and removed automatically. */
    public boolean isEnabled() {
        return !provider.isEmpty();
    }

    static ScalingSettings of(ConfigSection coordinator) {
        ConfigSection scaling = coordinator.section("scaling");
        ConfigSection process = scaling.section("process");
        int min = scaling.number("servers-min", 1, Limits.SERVERS_MAX);
        int max = mostServers(scaling, scaling.number("servers-max", 1, Limits.SERVERS_MAX));
        if (max < min) {
            throw scaling.invalidValue(
                    "servers-min", "at most servers-max, and at most what cost-max pays for, " + max, null);
        }
        String provider = scaling.text("provider").strip();
        return new ScalingSettings(
                provider,
                scaling.textNotEmpty("policy"),
                config(scaling, provider, min, max),
                limits(scaling, min, max),
                new Process(
                        process.file("directory"),
                        process.texts("command"),
                        process.texts("arguments"),
                        process.duration("stop-grace", Duration.ZERO, HOUR)),
                ec2(scaling, scaling.section(EC2)));
    }

    private static Map<String, String> ec2(ConfigSection scaling, ConfigSection ec2) {
        return Map.of(
                "template", scaling.text("template").strip(),
                "region", ec2.text("region"),
                "endpoint", ec2.text("endpoint"),
                "subnets", String.join(",", ec2.texts("subnets")),
                "instance-types", String.join(",", ec2.texts("instance-types")),
                "spot", Boolean.toString(ec2.flag("spot")));
    }

    /** The smaller of the configured maximum and the number of servers that the cost cap pays for. */
    private static int mostServers(ConfigSection scaling, int configured) {
        double perServer = scaling.decimal("cost-per-server", 0, COST_MAX);
        double cap = scaling.decimal("cost-max", 0, COST_MAX);
        if (cap == 0) {
            return configured;
        }
        if (perServer == 0) {
            throw scaling.invalidValue("cost-per-server", "more than 0, because cost-max is set", null);
        }
        if (cap < perServer) {
            throw scaling.invalidValue("cost-max", "at least cost-per-server, " + perServer, null);
        }
        return (int) Math.min(configured, Math.floor(cap / perServer));
    }

    private static ScalingConfig config(ConfigSection scaling, String provider, int min, int max) {
        Duration period = scaling.duration("period", SECOND, DAY);
        return new ScalingConfig(
                provider.isEmpty() ? 0 : period.toNanos(),
                min,
                max,
                scaling.number("add-periods", 1, 1_000),
                scaling.number("remove-periods", 1, 1_000),
                scaling.duration("pause", Duration.ZERO, DAY).toNanos(),
                scaling.duration("reversal", Duration.ZERO, DAY).toNanos(),
                scaling.duration("launch-timeout", SECOND, DAY).toNanos(),
                scaling.duration("drain-timeout", SECOND, DAY).toNanos(),
                scaling.duration("list-period", Duration.ofMillis(100), HOUR).toNanos(),
                scaling.duration("call-timeout", Duration.ofMillis(100), HOUR).toNanos(),
                scaling.duration("policy-timeout", Duration.ofMillis(100), HOUR).toNanos(),
                scaling.duration("keep-ended", SECOND, DAY).toNanos(),
                scaling.text("template").strip());
    }

    private static ScalingLimits limits(ConfigSection scaling, int min, int max) {
        double below = scaling.fraction("remove-below", 1);
        double above = scaling.fraction("add-above", 1);
        if (below >= above) {
            throw scaling.invalidValue("remove-below", "a share less than add-above, such as 30%", null);
        }
        double data = scaling.fraction("data-max", 1);
        if (data <= 0) {
            throw scaling.invalidValue("data-max", "a share above 0%, such as 80%", null);
        }
        try {
            return new ScalingLimits(
                    below,
                    above,
                    data,
                    scaling.number("step", 1, Limits.SERVERS_MAX),
                    min,
                    max,
                    scaling.number("spare-servers", 0, Limits.SERVERS_MAX));
        } catch (UniserveException e) {
            throw scaling.invalidValue("step", e.reason(), e);
        }
    }
}
