package io.uniserve.model.registry;

import io.uniserve.limit.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * State of the auto-scaler in the registry. Every call of the provider follows a write of it, so that each new leader knows all servers
 * that may have been launched or terminated. Immutable.
 *
 * @param hold an operator's reason for a hold; empty if scaling is not held
 * @param instances launched servers, one per token
 * @param events newest decisions, oldest first
 */
public record ScalingRecord(String hold, List<ScalingInstance> instances, List<ScalingEvent> events)
        implements RegistryValue {
    /** Without instances. */
    public static final ScalingRecord EMPTY = new ScalingRecord("", List.of(), List.of());

    public ScalingRecord {
        instances = List.copyOf(instances);
        events = List.copyOf(events);
    }

    /** The instance with this token; empty if there is none. */
    public Optional<ScalingInstance> find(String token) {
        return instances.stream()
                .filter(instance -> instance.token().equals(token))
                .findFirst();
    }

    /** The same with this hold; an empty reason ends it. */
    public ScalingRecord withHold(String reason) {
        return new ScalingRecord(reason, instances, events);
    }

    /** The same with this instance added, or in place of the one with its token. */
    public ScalingRecord with(ScalingInstance instance) {
        List<ScalingInstance> next = new ArrayList<>(instances);
        next.replaceAll(old -> old.token().equals(instance.token()) ? instance : old);
        if (!next.contains(instance)) {
            next.add(instance);
        }
        return new ScalingRecord(hold, next, events);
    }

    /** The same without the instance of this token. */
    public ScalingRecord without(String token) {
        return new ScalingRecord(
                hold,
                instances.stream()
                        .filter(instance -> !instance.token().equals(token))
                        .toList(),
                events);
    }

    /** The same with one more event; the oldest one goes if there are too many. */
    public ScalingRecord with(ScalingEvent event) {
        List<ScalingEvent> next = new ArrayList<>(events);
        next.add(event);
        return new ScalingRecord(
                hold, instances, next.subList(Math.max(0, next.size() - Limits.SCALING_EVENTS_MAX), next.size()));
    }

    /** True if the newest event of the token has no effect yet. */
    public boolean isUnderWay(String token) {
        for (int i = events.size() - 1; i >= 0; i--) {
            if (events.get(i).token().equals(token)) {
                return events.get(i).effect().isEmpty();
            }
        }
        return false;
    }

    /** The same with this effect of the newest event of the token. */
    public ScalingRecord withEffect(String token, String effect) {
        List<ScalingEvent> next = new ArrayList<>(events);
        for (int i = next.size() - 1; i >= 0; i--) {
            if (next.get(i).token().equals(token)) {
                next.set(i, next.get(i).withEffect(effect));
                return new ScalingRecord(hold, instances, next);
            }
        }
        return this;
    }
}
