package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import io.uniserve.codec.Codec;

/**
 * Parallel operator over the actors of a table, registered by {@code name@version}. A port implements one of the four kinds:
 * {@link RetrieveOperator} returns a value per actor; {@link ScatterOperator}, {@link MapOperator} and {@link GatherOperator} are the
 * stages of a {@link io.uniserve.api.plan.Shuffle}.
 *
 * <p>Thread-safety: the host runs one operator object on several actors and for several queries concurrently, so it must be stateless.
 *
 * <p>Errors: throw {@link io.uniserve.error.UniserveException}, as INVALID_ARGUMENT for bad parameters; any other exception is reported as
 * PORT_FAILED.
 *
 * @param <A> class of the actor, or of its view
 * @param <P> class of the parameters
 */
public sealed interface Operator<A extends ActorView, P>
        permits RetrieveOperator, ScatterOperator, MapOperator, GatherOperator {
    /** {@code name@version}, such as {@code kv.get@1}. Change the version when parameters, values or their meaning change. */
    String id();

    /** The class that the operator's actor must have; the host checks it before every call. */
    Class<A> actorType();

    /** Codec of the parameters. It must validate them: they come from the network. */
    Codec<P> parameters();
}
