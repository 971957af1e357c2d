package io.uniserve.port.solr;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableMeta;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.solr.client.solrj.response.SolrResponseBase;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.util.JavaBinCodec;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.handler.component.ResponseBuilder;
import org.apache.solr.handler.component.ShardHandler;
import org.apache.solr.handler.component.ShardHandlerFactory;
import org.apache.solr.handler.component.ShardRequest;
import org.apache.solr.handler.component.ShardResponse;
import org.jspecify.annotations.Nullable;

/**
 * Lets Solr's distributed components see a table's actors as shards. Requests gather until a response is wanted; then
 * all go out at once, one retrieve a round, so that a server gets one request a phase.
 */
final class ActorShards extends ShardHandler {
    /** Key of the {@link Plan} in a request's context. */
    static final String PLAN = "uniserve.plan";

    private static final RetrieveCall<ShardCall, ShardReply> SELECT = RetrieveCall.of(ShardOperator.SELECT);
    private static final MethodHandle SET_SHARD = setShard();

    private final Factory factory;
    private final Map<ShardRequest, String> texts = new IdentityHashMap<>();
    private final List<Pending> pending = new ArrayList<>();
    private final Deque<ShardResponse> completed = new ArrayDeque<>();
    private @Nullable Plan plan;

    private ActorShards(Factory factory) {
        this.factory = factory;
    }

    /** The query being planned and the table it is over. */
    record Plan(PlanContext context, TableMeta table) {}

    private record Pending(ShardRequest request, int actor, String text) {}

    @Override
    public void prepDistributed(ResponseBuilder builder) {
        Plan found = (Plan) builder.req.getContext().get(PLAN);
        if (found == null) {
            throw new IllegalStateException("a distributed request without a plan");
        }
        plan = found;
        builder.shards = IntStream.range(0, found.table().partitioner().actors())
                .mapToObj(Integer::toString)
                .toArray(String[]::new);
        builder.slices = builder.shards;
    }

    @Override
    public void submit(ShardRequest request, String shard, ModifiableSolrParams params) {
        // A request's parameters are the same for all of its shards.
        String text = texts.computeIfAbsent(request, r -> params.toQueryString().substring(1));
        pending.add(new Pending(request, Integer.parseInt(shard), text));
    }

    @Override
    public @Nullable ShardResponse takeCompletedOrError() {
        while (!pending.isEmpty()) {
            Map<Integer, Pending> round = new TreeMap<>();
            pending.removeIf(one -> round.putIfAbsent(one.actor(), one) == null);
            exchange(round.values());
        }
        return completed.poll();
    }

    @Override
    public @Nullable ShardResponse takeCompletedIncludingErrors() {
        return takeCompletedOrError();
    }

    private void exchange(Collection<Pending> round) {
        Plan current = plan;
        if (current == null) {
            throw new IllegalStateException("shard requests before prepDistributed");
        }
        Map<Integer, Pending> byActor = new LinkedHashMap<>();
        Map<Integer, String> own = new LinkedHashMap<>();
        String common = round.iterator().next().text();
        for (Pending one : round) {
            byActor.put(one.actor(), one);
            if (!one.text().equals(common)) {
                own.put(one.actor(), one.text());
            }
        }
        Map<Integer, Bytes> bodies = current.context()
                .retrieve(
                        current.table().name(),
                        byActor.keySet(),
                        SELECT,
                        new ShardCall(common, own),
                        ActorShards::byActor);
        byActor.forEach((actor, one) -> complete(one, bodies.get(actor)));
    }

    private static Map<Integer, Bytes> byActor(List<ShardReply> replies) {
        Map<Integer, Bytes> bodies = new HashMap<>();
        replies.forEach(reply -> bodies.put(reply.actor(), reply.body()));
        return bodies;
    }

    private void complete(Pending one, @Nullable Bytes body) {
        if (body == null) {
            throw new UniserveException(
                    ErrorCode.PORT_PROTOCOL, "actor " + one.actor() + " was asked and did not reply");
        }
        SolrResponseBase solr = new SolrResponseBase();
        solr.setResponse(parse(body));
        ShardResponse response = new ShardResponse();
        response.setShardRequest(one.request());
        response.setSolrResponse(solr);
        try {
            SET_SHARD.invokeExact(response, Integer.toString(one.actor()));
        } catch (Throwable e) {
            throw new IllegalStateException("ShardResponse.setShard failed", e);
        }
        one.request().responses.add(response);
        if (one.request().responses.size() == one.request().actualShards.length) {
            completed.add(response);
        }
    }

    private static NamedList<Object> parse(Bytes body) {
        try (JavaBinCodec codec = new JavaBinCodec()) {
            @SuppressWarnings("unchecked")
            NamedList<Object> parsed = (NamedList<Object>) codec.unmarshal(new ByteArrayInputStream(body.toArray()));
            return parsed;
        } catch (IOException | RuntimeException e) {
            throw new UniserveException(ErrorCode.PORT_PROTOCOL, "a shard's reply is not Solr's binary format", e);
        }
    }

    /** Solr sets it in its own shard handler only; its components need it to tell the shards apart. */
    private static MethodHandle setShard() {
        try {
            return MethodHandles.privateLookupIn(ShardResponse.class, MethodHandles.lookup())
                    .findVirtual(ShardResponse.class, "setShard", MethodType.methodType(void.class, String.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this version of Solr has no ShardResponse.setShard", e);
        }
    }

    @Override
    public void cancelAll() {
        pending.clear();
    }

    @Override
    public ShardHandlerFactory getShardHandlerFactory() {
        return factory;
    }

    /** Named in the core container's configuration. */
    public static final class Factory extends ShardHandlerFactory {
        @Override
        public ShardHandler getShardHandler() {
            return new ActorShards(this);
        }

        @Override
        public void close() {
            // Holds nothing.
        }
    }
}
