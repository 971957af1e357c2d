package io.uniserve.api.operator;

import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parameters that differ between actors, such as the rows to fetch from each actor in the second phase of a search. A request carries
 * parameters that most actors share once per server. Immutable.
 *
 * @param common parameters of all actors without an entry in {@code own}
 * @param overrides parameters by actor number
 */
public record PerActorParameters<P>(P common, Map<Integer, P> overrides) {
    public PerActorParameters {
        overrides = Map.copyOf(overrides);
    }

    /** The same parameters for every actor. */
    public static <P> PerActorParameters<P> ofAll(P parameters) {
        return new PerActorParameters<>(parameters, Map.of());
    }

    /**
     * Parameters by actor; at least one entry. The parameters of the first entry become the common ones.
     *
     * @throws UniserveException INVALID_ARGUMENT for an empty map
     */
    public static <P> PerActorParameters<P> of(Map<Integer, P> byActor) {
        if (byActor.isEmpty()) {
            throw UniserveException.invalid("parameters of no actor: give those of one or more");
        }
        P common = byActor.values().iterator().next();
        Map<Integer, P> own = new HashMap<>(byActor);
        own.values().removeIf(common::equals);
        return new PerActorParameters<>(common, own);
    }

    /** The parameters of an actor. */
    public P forActor(int actor) {
        @Nullable P parameters = overrides.get(actor);
        return parameters == null ? common : parameters;
    }

    /** Codec built from the codec of one actor's parameters. */
    public static <P> Codec<PerActorParameters<P>> codec(Codec<P> parameters) {
        Codec<Map<Integer, P>> byActor = Codecs.map(Codecs.INT, parameters);
        return Codecs.of(
                (out, value) -> {
                    parameters.write(out, value.common);
                    byActor.write(out, value.overrides);
                },
                in -> new PerActorParameters<>(parameters.read(in), byActor.read(in)));
    }
}
