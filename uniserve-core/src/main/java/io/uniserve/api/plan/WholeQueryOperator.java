package io.uniserve.api.plan;

import io.uniserve.api.ActorView;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;

/**
 * Operator for queries in the engine's own language that concern one actor: that actor answers the whole query, in one round and without a
 * plan. A port registers it by {@link io.uniserve.api.EngineFunctions#withWholeQuery}; clients then send such queries straight to a replica of the
 * actor. It must reject what the planner rejects, and return what the planner would return.
 *
 * <pre>{@code
 * static final RetrieveOperator<SqlActor, String, Answer> WHOLE =
 *         WholeQuery.operator("sql.whole@1", SqlActor.class, (actor, context, text) -> actor.answer(text));
 * }</pre>
 */
public final class WholeQueryOperator {
    private static final Codec<Answer> ANSWER = Codecs.of(
            (out, answer) -> {
                out.writeString(answer.contentType());
                out.writeBytes(answer.body());
            },
            in -> new Answer(in.readString(), in.readBytes()));

    private WholeQueryOperator() {}

    /** The client side of the operator: from the query text to the answer, without {@link Answer#effort}. */
    public static RetrieveCall<String, Answer> call(String id) {
        return new RetrieveCall<>(id, Codecs.STRING, ANSWER);
    }

    /**
     * Builds the operator.
     *
     * @param id {@code name@version}
     * @param body answers the query from one actor
     */
    public static <A extends ActorView> RetrieveOperator<A, String, Answer> operator(
            String id, Class<A> actorType, RetrieveOperator.Body<A, String, Answer> body) {
        return RetrieveOperator.of(call(id), actorType, body);
    }
}
