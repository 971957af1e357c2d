package io.uniserve.port.solr.query;

import io.uniserve.error.UniserveException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Helpers for the documents of a response, a tree of lists and named values. Stateless. */
public final class ResponseDocuments {
    private ResponseDocuments() {}

    /** Calls {@code each} with every part of a class in a tree of lists and named values; does not descend into such a part. */
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
     * Sorts documents found by id into the order of the requested ids, and repeats a document per repeated id.
     *
     * @param id reads the id of a document; null if the response lacks the id field, which fails with UNSUPPORTED
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
}
