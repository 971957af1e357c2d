package io.uniserve.cli.scaler;

import io.uniserve.model.registry.ScalingEvent;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.placement.ScalingView.Server;
import io.uniserve.protocol.message.AdminReply.Scaling;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Formatter of the auto-scaler's state, as text and as JSON. Stateless. */
public final class ScalingFormatter {
    private ScalingFormatter() {}

    /** The action under way, or the reason for none. */
    public static String state(Scaling scaling) {
        String hold = scaling.record().hold();
        return hold.isEmpty() ? scaling.state() : "held (" + hold + "); " + scaling.state();
    }

    /** The last failure of the provider; empty if there is none. */
    static Optional<String> problem(Scaling scaling) {
        return scaling.problem().isEmpty() ? Optional.empty() : Optional.of("provider: " + scaling.problem());
    }

    /** The newest decisions with their effect, oldest first. */
    public static List<String> events(Scaling scaling, int most) {
        List<ScalingEvent> events = scaling.record().events();
        return events.subList(Math.max(0, events.size() - most), events.size()).stream()
                .map(ScalingFormatter::event)
                .toList();
    }

    private static String event(ScalingEvent event) {
        return Instant.ofEpochMilli(event.atMillis()) + " "
                + event.action().name().toLowerCase(Locale.ROOT) + " "
                + ScalingInstance.serverId(event.token()) + ": " + event.reason() + " -> "
                + (event.effect().isEmpty() ? "under way" : event.effect());
    }

    static Map<String, @Nullable Object> json(Scaling scaling) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("state", scaling.state());
        fields.put("hold", scaling.record().hold());
        fields.put("problem", scaling.problem());
        fields.put("add_reason", scaling.addReason());
        fields.put(
                "servers",
                scaling.servers().stream().map(ScalingFormatter::json).toList());
        fields.put(
                "instances",
                scaling.record().instances().stream()
                        .map(ScalingFormatter::json)
                        .toList());
        fields.put(
                "events",
                scaling.record().events().stream().map(ScalingFormatter::json).toList());
        return fields;
    }

    private static Map<String, @Nullable Object> json(Server server) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("server", server.id().value());
        fields.put(
                "cpu_cores", server.cpuCores().isPresent() ? server.cpuCores().getAsDouble() : null);
        fields.put("cores_max", server.coresMax());
        fields.put("primaries", server.primaries());
        fields.put("replicas", server.replicas());
        fields.put("keep_reason", server.keepReason());
        return fields;
    }

    private static Map<String, @Nullable Object> json(ScalingInstance instance) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("server", instance.serverId().value());
        fields.put("instance", instance.instanceId());
        fields.put("state", instance.state().name());
        fields.put("since", Instant.ofEpochMilli(instance.sinceMillis()).toString());
        fields.put("reason", instance.reason());
        return fields;
    }

    private static Map<String, @Nullable Object> json(ScalingEvent event) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("at", Instant.ofEpochMilli(event.atMillis()).toString());
        fields.put("action", event.action().name());
        fields.put("server", ScalingInstance.serverId(event.token()).value());
        fields.put("reason", event.reason());
        fields.put("effect", event.effect());
        return fields;
    }
}
