package io.uniserve.api.plan;

import io.uniserve.api.operator.PerActor;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.model.TableName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * For engines with distributed components of their own, whose shards are actors: gathers requests until an answer is wanted;
 * then all go out at once, at most one an actor and round, so that a server gets one request a round. Not thread-safe.
 *
 * @param <R> the engine's requests
 */
public final class ShardRounds<R> {
    private final List<Pending<R>> pending = new ArrayList<>();
    private final IdentityHashMap<R, String> texts = new IdentityHashMap<>();

    private record Pending<R>(R request, int actor, String text) {}

    /** Takes what comes back. */
    public interface Answered<R, V> {
        /** The actor's value for this request. */
        void take(R request, int actor, V value);
    }

    /** A request to one actor; its operator gets the parameters {@link PackedParameters packed}, the same at all actors of the request. */
    public void add(R request, int actor, Iterable<Map.Entry<String, String[]>> parameters) {
        pending.add(new Pending<>(
                request, actor, texts.computeIfAbsent(request, made -> PackedParameters.pack(parameters))));
    }

    /** Whether there is something to ask. */
    public boolean any() {
        return !pending.isEmpty();
    }

    /** Forgets what was not asked yet. */
    public void clear() {
        pending.clear();
        texts.clear();
    }

    /** One round: the first request of each actor. Fails as a whole. */
    public <V> void ask(
            PlanContext context,
            TableName table,
            RetrieveCall<PerActor<String>, V> call,
            Answered<? super R, ? super V> answered) {
        Map<Integer, R> round = new HashMap<>();
        Map<Integer, String> texts = new HashMap<>();
        for (Iterator<Pending<R>> all = pending.iterator(); all.hasNext(); ) {
            Pending<R> one = all.next();
            if (round.putIfAbsent(one.actor, one.request) == null) {
                texts.put(one.actor, one.text);
                all.remove();
            }
        }
        Map<Integer, V> values = context.retrieveEach(table, call, texts);
        round.forEach((actor, request) -> {
            V value = values.get(actor);
            if (value != null) {
                answered.take(request, actor, value);
            }
        });
    }
}
