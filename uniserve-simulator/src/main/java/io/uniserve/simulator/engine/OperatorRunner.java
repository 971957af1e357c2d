package io.uniserve.simulator.engine;

import io.uniserve.api.ActorView;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.List;
import java.util.Optional;

/** Runner of an engine's retrieve operators, by id and with encoded parameters. */
record OperatorRunner(EngineInstance engine) {
    Bytes retrieve(String operator, Bytes parameters, int actor, ActorView state) {
        for (Operator<?, ?> known : engine.operators()) {
            if (known.id().equals(operator) && known instanceof RetrieveOperator<?, ?, ?> retrieve) {
                return retrieve(retrieve, parameters, actor, state);
            }
        }
        throw new UniserveException(ErrorCode.UNKNOWN_OPERATOR, "port has no operator " + operator);
    }

    /** Merges the values into one; empty if the operator has no merger. */
    Optional<Bytes> merge(String operator, Bytes parameters, List<Bytes> values) {
        for (Operator<?, ?> known : engine.operators()) {
            if (known.id().equals(operator) && known instanceof RetrieveOperator<?, ?, ?> retrieve) {
                return merge(retrieve, parameters, values);
            }
        }
        return Optional.empty();
    }

    private static <P, V> Optional<Bytes> merge(
            RetrieveOperator<?, P, V> operator, Bytes parameters, List<Bytes> values) {
        P asked = operator.parameters().decode(parameters);
        return operator.merger()
                .flatMap(merger -> values.stream()
                        .map(operator.values()::decode)
                        .reduce((left, right) -> merger.merge(asked, left, right))
                        .map(operator.values()::encode));
    }

    private static <A extends ActorView, P, V> Bytes retrieve(
            RetrieveOperator<A, P, V> operator, Bytes parameters, int actor, ActorView state) {
        V value = operator.retrieve(
                operator.actorType().cast(state),
                new Context(actor),
                operator.parameters().decode(parameters));
        return operator.values().encode(value);
    }

    /** Operator context without a deadline. */
    record Context(int actor) implements OperatorContext {
        @Override
        public long remainingNanos() {
            return Long.MAX_VALUE;
        }

        @Override
        public void checkActive() {
            // the caller stops waiting by itself
        }
    }
}
