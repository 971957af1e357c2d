package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import io.uniserve.codec.Codec;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Retrieve operator built from functions; see {@link RetrieveOperator#of}. */
record RetrieveFunction<A extends ActorView, P, V>(
        RetrieveCall<P, V> call,
        Class<A> actorType,
        RetrieveOperator.Body<A, P, V> body,
        @Nullable Merger<P, V> merge,
        Predicate<P> inlinePredicate)
        implements RetrieveOperator<A, P, V> {
    @Override
    public String id() {
        return call.id();
    }

    @Override
    public Codec<P> parameters() {
        return call.parameters();
    }

    @Override
    public Codec<V> values() {
        return call.values();
    }

    @Override
    public V retrieve(A actor, OperatorContext context, P parameters) {
        context.checkActive();
        return body.run(actor, context, parameters);
    }

    @Override
    public boolean mayRunInline(P parameters) {
        return inlinePredicate.test(parameters);
    }

    @Override
    public Optional<Merger<P, V>> merger() {
        return Optional.ofNullable(merge);
    }
}
