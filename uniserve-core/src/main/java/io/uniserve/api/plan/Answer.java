package io.uniserve.api.plan;

import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A query's final answer in the engine's own format, e.g. {@code application/json}.
 *
 * @param effort what the answer took; a planner leaves it to the host to fill in
 */
public record Answer(String contentType, Bytes body, Effort effort) {
    /** A planner's answer. */
    public Answer(String contentType, Bytes body) {
        this(contentType, body, Effort.NONE);
    }

    /** The same answer with what it took. */
    public Answer with(Effort spent) {
        return new Answer(contentType, body, spent);
    }

    /** Gives {@code each} all parts of a kind in an engine's tree of lists and named values; not what is inside of such a part. */
    public static <T> void parts(@Nullable Object tree, Class<T> kind, Consumer<? super T> each) {
        if (kind.isInstance(tree)) {
            each.accept(kind.cast(tree));
        } else if (tree instanceof Iterable<?> parts) {
            parts.forEach(part -> parts(part, kind, each));
        } else if (tree instanceof Map.Entry<?, ?> named) {
            parts(named.getValue(), kind, each);
        }
    }

    /**
     * Puts what was found by ids in the order in which they were asked for, once for each time that one was; UNSUPPORTED where
     * something found does not tell its own.
     */
    public static <T> void inOrder(
            List<T> found, Function<? super T, ? extends @Nullable Object> id, List<String> asked) {
        Map<String, T> byId = new HashMap<>();
        for (T one : found) {
            Object own = id.apply(one);
            if (own == null) {
                throw UniserveException.unsupported(
                        "several ids without the field that has them among the fields of the"
                                + " answer, as it is their order that the answer has: ask for that field too");
            }
            byId.put(own.toString(), one);
        }
        found.clear();
        for (String one : asked) {
            T of = byId.get(one);
            if (of != null) {
                found.add(of);
            }
        }
    }

    /**
     * What an answer took, over all its plans.
     *
     * @param requests requests to servers, retries and hedges included
     * @param retries requests that asked an actor again after a failure
     * @param hedges requests sent because another one was slow
     */
    public record Effort(int requests, int retries, int hedges) {
        public static final Effort NONE = new Effort(0, 0, 0);

        /** Both together. */
        public Effort plus(Effort other) {
            return new Effort(requests + other.requests, retries + other.retries, hedges + other.hedges);
        }
    }
}
