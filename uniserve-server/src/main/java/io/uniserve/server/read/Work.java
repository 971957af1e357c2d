package io.uniserve.server.read;

import io.uniserve.api.Actor;
import io.uniserve.api.operator.Merger;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.ReadReply;
import io.uniserve.protocol.message.ReadRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An operator with its parameters, and the values it has given so far: one an actor, or merged into one where the operator
 * can merge.
 */
final class Work<P, V> {
    final RetrieveOperator<Actor, P, V> operator;
    final P parameters;
    private final Optional<Merger<P, V>> merger;
    private final List<Integer> actors = new ArrayList<>();
    private final List<V> values = new ArrayList<>();

    private Work(RetrieveOperator<Actor, P, V> operator, P parameters) {
        this.operator = operator;
        this.parameters = parameters;
        this.merger = operator.merger();
    }

    @SuppressWarnings("unchecked")
    static Work<?, ?> of(RetrieveOperator<?, ?, ?> operator, ReadRequest request) {
        return typed((RetrieveOperator<Actor, Object, Object>) operator, request);
    }

    private static <P, V> Work<P, V> typed(RetrieveOperator<Actor, P, V> operator, ReadRequest request) {
        try {
            return new Work<>(operator, operator.parameters().decode(request.parameters()));
        } catch (UniserveException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT, "parameters of " + operator.id() + " cannot be read: " + e.reason(), e);
        }
    }

    /** Takes an actor's value. */
    synchronized void accept(int actor, V value) {
        actors.add(actor);
        if (merger.isPresent() && !values.isEmpty()) {
            values.set(0, merger.get().merge(parameters, values.get(0), value));
        } else {
            values.add(value);
        }
    }

    /** The parts of the reply; actors whose value is too large are added to the failures instead. */
    synchronized List<ReadReply.Part> parts(List<ActorFailure> failures) {
        List<ReadReply.Part> parts = new ArrayList<>();
        long total = 0;
        for (int i = 0; i < values.size(); i++) {
            List<Integer> covered = merger.isPresent() ? actors : List.of(actors.get(i));
            Bytes bytes = operator.values().encode(values.get(i));
            total += bytes.size();
            long limit = (long) Limits.RESULT_BYTES_PER_ACTOR_MAX * covered.size();
            if (bytes.size() > limit || total > Limits.RESULT_BYTES_PER_REPLY_MAX) {
                String message = "result of " + operator.id() + " has " + bytes.size() + " bytes, more than "
                        + Limits.RESULT_BYTES_PER_ACTOR_MAX + " an actor or " + Limits.RESULT_BYTES_PER_REPLY_MAX
                        + " a reply; ask for less";
                covered.forEach(actor -> failures.add(new ActorFailure(actor, ErrorCode.TOO_LARGE, message, 0)));
            } else {
                parts.add(new ReadReply.Part(covered, bytes));
            }
        }
        return parts;
    }
}
