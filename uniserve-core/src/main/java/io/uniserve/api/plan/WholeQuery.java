package io.uniserve.api.plan;

import io.uniserve.api.ActorView;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;

/**
 * A query in the engine's own language that concerns one actor: that actor answers it whole, as the engine would alone, in
 * one round and without a plan. A port offers an operator for it by {@link io.uniserve.api.EngineFunctions#with}; clients
 * then send such queries straight to a replica of the actor. It must refuse what the planner refuses, and answer what the
 * planner would.
 */
public final class WholeQuery {
    private static final Codec<Answer> ANSWER = Codecs.of(
            (out, answer) -> {
                out.writeString(answer.contentType());
                out.writeBytes(answer.body());
            },
            in -> new Answer(in.readString(), in.readBytes()));

    private WholeQuery() {}

    /** The caller's half: the query's text to its answer, without {@link Answer#effort}. */
    public static RetrieveCall<String, Answer> call(String id) {
        return new RetrieveCall<>(id, Codecs.STRING, ANSWER);
    }

    /**
     * The operator.
     *
     * @param id {@code name@version}
     * @param body answers the query from the one actor that it gets
     */
    public static <A extends ActorView> RetrieveOperator<A, String, Answer> operator(
            String id, Class<A> actorType, RetrieveOperator.Body<A, String, Answer> body) {
        return RetrieveOperator.of(call(id), actorType, body);
    }
}
