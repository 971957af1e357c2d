package io.uniserve.port.solr.query;

import io.uniserve.api.operator.PerActorParameters;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.model.TableName;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Batcher for engines with distributed search of their own, whose shards are actors: collects requests until the engine waits for a
 * response, then sends them in rounds of at most one request per actor. So a server receives one request per round. Not thread-safe.
 *
 * @param <R> the engine's requests
 */
public final class ShardRequestBatcher<R> {
    private final List<Pending<R>> pending = new ArrayList<>();
    private final IdentityHashMap<R, Parameters> parametersByRequest = new IdentityHashMap<>();
    /** Number of outstanding responses per request. */
    private final IdentityHashMap<R, Integer> missingReplies = new IdentityHashMap<>();

    private final ArrayDeque<R> completedRequests = new ArrayDeque<>();

    private record Pending<R>(R request, int actor, Parameters parameters) {}

    /**
     * Parameters of a request.
     *
     * @param byName values per name, in order
     */
    public record Parameters(Map<String, String[]> byName) {
        private static final Codec<List<String>> VALUES = Codecs.list(Codecs.STRING);
        private static final Codec<Map<String, String[]>> BY_NAME = Codecs.map(
                Codecs.STRING,
                Codecs.of(
                        (out, values) -> VALUES.write(out, List.of(values)),
                        in -> VALUES.read(in).toArray(String[]::new)));

        public static final Codec<Parameters> CODEC =
                Codecs.of((out, all) -> BY_NAME.write(out, all.byName), in -> new Parameters(BY_NAME.read(in)));

        /** A copy that an actor may modify: actors on one server share the parameters. */
        public Map<String, String[]> copy() {
            return new LinkedHashMap<>(byName);
        }

        private static Parameters of(Iterable<Map.Entry<String, String[]>> entries) {
            Map<String, String[]> all = new LinkedHashMap<>();
            entries.forEach(one -> all.put(one.getKey(), one.getValue()));
            return new Parameters(all);
        }
    }

    /** Receiver of responses. */
    public interface ReplyConsumer<R, V> {
        /** Receives an actor's response to the request. */
        void accept(R request, int actor, V value);
    }

    /** Adds a request to one actor. All actors of a request have the same parameters. */
    public void add(R request, int actor, Iterable<Map.Entry<String, String[]>> parameters) {
        pending.add(new Pending<>(
                request, actor, parametersByRequest.computeIfAbsent(request, made -> Parameters.of(parameters))));
        missingReplies.merge(request, 1, Integer::sum);
    }

    /**
     * Sends all pending requests, and returns a request that all its actors have answered and that was not returned before, in the order
     * of completion; null if there is none.
     */
    public <V> @Nullable R nextCompleted(
            PlanContext context,
            TableName table,
            RetrieveCall<PerActorParameters<Parameters>, V> call,
            ReplyConsumer<? super R, ? super V> each) {
        while (!pending.isEmpty()) {
            sendRound(context, table, call, each);
        }
        return completedRequests.poll();
    }

    /** Drops all pending requests. */
    public void clear() {
        pending.clear();
        parametersByRequest.clear();
        missingReplies.clear();
    }

    /** Sends one round: the first pending request of each actor. Fails as a whole. */
    private <V> void sendRound(
            PlanContext context,
            TableName table,
            RetrieveCall<PerActorParameters<Parameters>, V> call,
            ReplyConsumer<? super R, ? super V> each) {
        Map<Integer, R> round = new HashMap<>();
        Map<Integer, Parameters> asked = new HashMap<>();
        for (Iterator<Pending<R>> all = pending.iterator(); all.hasNext(); ) {
            Pending<R> one = all.next();
            if (round.putIfAbsent(one.actor, one.request) == null) {
                asked.put(one.actor, one.parameters);
                all.remove();
            }
        }
        Map<Integer, V> values = context.retrieveEach(table, call, asked);
        round.forEach((actor, request) -> {
            V value = values.get(actor);
            if (value != null) {
                each.accept(request, actor, value);
                if (missingReplies.merge(request, -1, Integer::sum) == 0) {
                    completedRequests.add(request);
                }
            }
        });
    }
}
