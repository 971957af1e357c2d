package io.uniserve.api.operator;

import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of an operator that differ from actor to actor, such as the rows to fetch from each in the second phase of a
 * search. What most actors share travels once a server.
 *
 * @param common parameters of the actors without their own
 * @param own parameters by actor
 */
public record PerActorParameters<P>(P common, Map<Integer, P> own) {
    public PerActorParameters {
        own = Map.copyOf(own);
    }

    /** The same for every actor. */
    public static <P> PerActorParameters<P> same(P parameters) {
        return new PerActorParameters<>(parameters, Map.of());
    }

    /** Parameters by actor; at least one. Those of the first actor are taken for common. */
    public static <P> PerActorParameters<P> of(Map<Integer, P> byActor) {
        if (byActor.isEmpty()) {
            throw UniserveException.invalid("parameters of no actor: give those of one or more");
        }
        P common = byActor.values().iterator().next();
        Map<Integer, P> own = new HashMap<>(byActor);
        own.values().removeIf(common::equals);
        return new PerActorParameters<>(common, own);
    }

    /** This actor's parameters. */
    public P at(int actor) {
        @Nullable P parameters = own.get(actor);
        return parameters == null ? common : parameters;
    }

    /** A codec, from one of the parameters of one actor. */
    public static <P> Codec<PerActorParameters<P>> codec(Codec<P> parameters) {
        Codec<Map<Integer, P>> byActor = Codecs.map(Codecs.INT, parameters);
        return Codecs.of(
                (out, value) -> {
                    parameters.write(out, value.common);
                    byActor.write(out, value.own);
                },
                in -> new PerActorParameters<>(parameters.read(in), byActor.read(in)));
    }
}
