package io.uniserve.server.read;

import io.uniserve.api.ActorView;
import io.uniserve.api.operator.GatherOperator;
import io.uniserve.api.operator.MapOperator;
import io.uniserve.api.operator.Merger;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.operator.ScatterOperator;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.exchange.GatherEnvelope;
import io.uniserve.server.exchange.ExchangeHost;
import io.uniserve.server.exchange.GatherInputs;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A retrieve operator with a request's parameters, decoded once for all its actors. Values stay as objects where the
 * operator can merge them, and are encoded by the worker that made them where it cannot.
 */
final class OperatorRun<A extends ActorView, P, V> {
    private final RetrieveOperator<A, P, V> operator;
    /** The port's, which is another one where a scatter or a gather is run as a retrieve. */
    private final Operator<?, ?> registered;

    private final P parameters;
    private final Optional<Merger<P, V>> merger;
    /** Only for its way of calling the port, which outlives the pin. */
    private final PinnedActor port;

    private OperatorRun(RetrieveOperator<A, P, V> operator, Operator<?, ?> registered, P parameters, PinnedActor port) {
        this.operator = operator;
        this.registered = registered;
        this.parameters = parameters;
        this.port = port;
        this.merger = operator.merger();
    }

    /**
     * INVALID_ARGUMENT where the parameters are not the operator's.
     *
     * @param gatherInputs of a gather or a map, where its chunks have come
     */
    static OperatorRun<?, ?, ?> of(
            Operator<?, ?> operator,
            Bytes parameters,
            PinnedActor port,
            ExchangeHost exchange,
            @Nullable GatherInputs gatherInputs) {
        if (operator instanceof ScatterOperator<?, ?> scatter) {
            return decoded(new ScatterRun<>(scatter, exchange), operator, parameters, port);
        }
        if (operator instanceof GatherOperator<?, ?, ?> gather) {
            return decoded(
                    new GatherRun<>(gather, here(operator, parameters, gatherInputs)), operator, parameters, port);
        }
        if (operator instanceof MapOperator<?, ?> map) {
            GatherInputs here = here(operator, parameters, gatherInputs);
            return decoded(new MapRun<>(map, here, exchange), operator, parameters, port);
        }
        return decoded((RetrieveOperator<?, ?, ?>) operator, operator, parameters, port);
    }

    private static GatherInputs here(Operator<?, ?> operator, Bytes parameters, @Nullable GatherInputs gatherInputs) {
        if (gatherInputs != null) {
            return gatherInputs;
        }
        if (GatherEnvelope.looksLike(parameters)) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, "the actor has only just come here: ask again");
        }
        throw UniserveException.invalid("operator " + operator.id() + " is a "
                + (operator instanceof MapOperator<?, ?> ? "map" : "gather")
                + ", and the read names no chunks: use it in a plan");
    }

    private static <A extends ActorView, P, V> OperatorRun<A, P, V> decoded(
            RetrieveOperator<A, P, V> operator, Operator<?, ?> registered, Bytes parameters, PinnedActor port) {
        BinaryReader in = new BinaryReader(parameters);
        try {
            P value = operator.parameters().read(in);
            in.expectEnd();
            return new OperatorRun<>(operator, registered, value, port);
        } catch (UniserveException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT, "parameters of " + operator.id() + ": " + e.reason(), e);
        }
    }

    /** The port's operator itself. */
    Operator<?, ?> operator() {
        return registered;
    }

    /** True where the operator promises to take microseconds with these parameters. */
    boolean brief() {
        return port.call("brief() of " + operator.id(), () -> operator.brief(parameters));
    }

    boolean merges() {
        return merger.isPresent();
    }

    /** The actor's partial value: to be merged, or as bytes where that cannot be or it is alone. */
    Object retrieve(ActorView actor, OperatorContext context, boolean alone) {
        V value = operator.retrieve(operator.actorType().cast(actor), context, parameters);
        if (value == null) {
            throw new UniserveException(ErrorCode.PORT_PROTOCOL, "operator " + operator.id() + " returned null");
        }
        return encodes(alone) ? encode(value, Limits.RESULT_BYTES_PER_ACTOR_MAX) : value;
    }

    /** True where {@link #retrieve} gives bytes already; a value that waits to be merged may be of type Bytes as well. */
    private boolean encodes(boolean alone) {
        return merger.isEmpty() || alone;
    }

    /**
     * Bytes of a value of {@link #retrieve} that waits for others; TOO_LARGE where one actor's may not have so many. Values
     * that are to be merged are written once for that: else nothing would bound them together.
     *
     * @param alone as retrieve was told
     */
    @SuppressWarnings("unchecked") // as in mergeHere
    int size(Object value, boolean alone) {
        return encodes(alone)
                ? ((Bytes) value).size()
                : write((V) value, Limits.RESULT_BYTES_PER_ACTOR_MAX).size();
    }

    /** Joins partial values of {@link #retrieve} and encodes the result. */
    Bytes merge(List<Object> values) {
        return port.call("merging of " + operator.id(), () -> mergeHere(values));
    }

    @SuppressWarnings("unchecked") // they came from retrieve(), which returns values where there is a merger
    private Bytes mergeHere(List<Object> values) {
        Merger<P, V> join = merger.orElseThrow();
        V merged = (V) values.get(0);
        for (Object value : values.subList(1, values.size())) {
            merged = join.merge(parameters, merged, (V) value);
        }
        return encode(merged, Limits.RESULT_BYTES_PER_REPLY_MAX);
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
