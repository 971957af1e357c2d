package io.uniserve.server.read;

import io.uniserve.api.ActorView;
import io.uniserve.api.operator.GatherOperator;
import io.uniserve.api.operator.MapOperator;
import io.uniserve.api.operator.Merger;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.operator.ScatterOperator;
import io.uniserve.api.plan.Answer;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.exchange.GatherEnvelope;
import io.uniserve.server.exchange.ExchangeHost;
import io.uniserve.server.exchange.GatherInputs;
import io.uniserve.server.read.session.PinnedActor;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Run of a retrieve operator with a request's parameters, decoded once for all its actors. If the operator can merge values, they stay
 * objects. Otherwise the worker that computed a value encodes it.
 */
final class OperatorRun<A extends ActorView, P, V> {
    /** Values with larger estimates are measured, as an estimate may be far above the encoded size, which has a limit. */
    private static final long ESTIMATED_BYTES_MAX = Limits.RESULT_BYTES_PER_ACTOR_MAX / 2;

    private final RetrieveOperator<A, P, V> operator;
    /** The port's operator. It differs from {@code operator} for a scatter, a gather and a map, which run as a retrieve. */
    private final Operator<?, ?> portOperator;

    private final P parameters;
    private final Optional<Merger<P, V>> merger;
    /** Used only to call the port's code; this remains possible after the pin is released. */
    private final PinnedActor pinnedActor;

    private final Consumer<Answer> answerCheck;

    private OperatorRun(
            RetrieveOperator<A, P, V> operator,
            Operator<?, ?> registered,
            P parameters,
            PinnedActor port,
            Consumer<Answer> answerCheck) {
        this.answerCheck = answerCheck;
        this.operator = operator;
        this.portOperator = registered;
        this.parameters = parameters;
        this.pinnedActor = port;
        this.merger = operator.merger();
    }

    /**
     * Creates a run. Fails with INVALID_ARGUMENT if the operator cannot decode the parameters.
     *
     * @param user user of the read; empty for work without one
     * @param gatherInputs chunks of a gather or a map, if they have arrived
     * @param answerCheck fails if an answer to a whole query is beyond a limit
     */
    static OperatorRun<?, ?, ?> of(
            Operator<?, ?> operator,
            Bytes parameters,
            PinnedActor port,
            ExchangeHost exchange,
            String user,
            @Nullable GatherInputs gatherInputs,
            Consumer<Answer> answerCheck) {
        if (operator instanceof ScatterOperator<?, ?> scatter) {
            return decode(
                    new ScatterOperatorAdapter<>(scatter, exchange, user), operator, parameters, port, answerCheck);
        }
        if (operator instanceof GatherOperator<?, ?, ?> gather) {
            return decode(
                    new GatherOperatorAdapter<>(gather, requireInputs(operator, parameters, gatherInputs)),
                    operator,
                    parameters,
                    port,
                    answerCheck);
        }
        if (operator instanceof MapOperator<?, ?> map) {
            GatherInputs here = requireInputs(operator, parameters, gatherInputs);
            return decode(new MapOperatorAdapter<>(map, here, exchange, user), operator, parameters, port, answerCheck);
        }
        return decode((RetrieveOperator<?, ?, ?>) operator, operator, parameters, port, answerCheck);
    }

    private static GatherInputs requireInputs(
            Operator<?, ?> operator, Bytes parameters, @Nullable GatherInputs gatherInputs) {
        if (gatherInputs != null) {
            return gatherInputs;
        }
        if (GatherEnvelope.isEnvelope(parameters)) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, "the actor has just moved to this server: try again");
        }
        throw UniserveException.invalid("operator " + operator.id() + " is a "
                + (operator instanceof MapOperator<?, ?> ? "map" : "gather")
                + ", and the read names no chunks: use it in a plan");
    }

    private static <A extends ActorView, P, V> OperatorRun<A, P, V> decode(
            RetrieveOperator<A, P, V> operator,
            Operator<?, ?> registered,
            Bytes parameters,
            PinnedActor port,
            Consumer<Answer> answerCheck) {
        BinaryReader in = new BinaryReader(parameters);
        try {
            P value = operator.parameters().read(in);
            in.expectEnd();
            return new OperatorRun<>(operator, registered, value, port, answerCheck);
        } catch (UniserveException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT, "parameters of " + operator.id() + ": " + e.reason(), e);
        }
    }

    /** Operator of the port. */
    Operator<?, ?> operator() {
        return portOperator;
    }

    /** True if the operator promises to take microseconds with these parameters. */
    boolean mayRunInline() {
        return pinnedActor.call("brief() of " + operator.id(), () -> operator.mayRunInline(parameters));
    }

    boolean merges() {
        return merger.isPresent();
    }

    /** Partial value of the actor: an object to merge, or bytes if the operator does not merge or there is no other value. */
    Object retrieve(ActorView actor, OperatorContext context, boolean alone) {
        V value = operator.retrieve(operator.actorType().cast(actor), context, parameters);
        if (value == null) {
            throw new UniserveException(ErrorCode.PORT_PROTOCOL, "operator " + operator.id() + " returned null");
        }
        if (value instanceof Answer whole) {
            answerCheck.accept(whole);
        }
        return returnsBytes(alone) ? encode(value, Limits.RESULT_BYTES_PER_ACTOR_MAX) : value;
    }

    /** True if {@link #retrieve} returns encoded bytes. A value that waits to be merged may be of type Bytes as well. */
    private boolean returnsBytes(boolean alone) {
        return merger.isEmpty() || alone;
    }

    /**
     * Size in bytes of a value of {@link #retrieve} that waits for others. Fails with TOO_LARGE above the limit per actor. Values to
     * merge are encoded once for this, unless the merger estimates them as small: otherwise their total size would have no limit.
     *
     * @param alone the same as at retrieve
     */
    @SuppressWarnings("unchecked") // as in mergeValues
    int size(Object value, boolean alone) {
        if (returnsBytes(alone)) {
            return ((Bytes) value).size();
        }
        OptionalLong estimate = merger.orElseThrow().estimateBytes((V) value);
        return estimate.isPresent() && estimate.getAsLong() >= 0 && estimate.getAsLong() <= ESTIMATED_BYTES_MAX
                ? (int) estimate.getAsLong()
                : write((V) value, Limits.RESULT_BYTES_PER_ACTOR_MAX).size();
    }

    /** Merges partial values of {@link #retrieve}, while others are still read. The result is merged again. */
    Object mergeEarly(List<Object> values) {
        return pinnedActor.call("merging of " + operator.id(), () -> mergeValues(values));
    }

    /** Memory of a merged value, in bytes: by the merger's estimate, or its encoded size. */
    @SuppressWarnings("unchecked") // as in mergeValues
    long memory(Object value) {
        OptionalLong estimate = merger.orElseThrow().estimateBytes((V) value);
        return estimate.orElseGet(
                () -> write((V) value, Limits.RESULT_BYTES_PER_QUERY_MAX).size());
    }

    /** Merges partial values of {@link #retrieve} and encodes the result. */
    Bytes merge(List<Object> values) {
        return pinnedActor.call(
                "merging of " + operator.id(), () -> encode(mergeValues(values), Limits.RESULT_BYTES_PER_REPLY_MAX));
    }

    @SuppressWarnings("unchecked") // retrieve() returns values of type V if there is a merger
    private V mergeValues(List<Object> values) {
        V merged = merger.orElseThrow().mergeAll(parameters, (List<V>) (List<?>) values);
        if (merged == null) {
            throw new UniserveException(ErrorCode.PORT_PROTOCOL, "merger of " + operator.id() + " returned null");
        }
        return merged;
    }

    private Bytes encode(V value, int bytesMax) {
        return write(value, bytesMax).toBytes();
    }

    private BinaryWriter write(V value, int bytesMax) {
        BinaryWriter out = BinaryWriter.limited(bytesMax);
        try {
            operator.values().write(out, value);
        } catch (UniserveException e) {
            if (e.code() != ErrorCode.TOO_LARGE) {
                throw e;
            }
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "result of " + operator.id() + " has more than " + bytesMax + " bytes; ask for less",
                    e);
        }
        return out;
    }
}
