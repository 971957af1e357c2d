package io.uniserve.port.solr;

import io.uniserve.api.operator.PerActor;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableMeta;
import java.io.ByteArrayInputStream;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.solr.client.solrj.impl.BinaryResponseParser;
import org.apache.solr.client.solrj.response.SolrResponseBase;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.handler.component.ResponseBuilder;
import org.apache.solr.handler.component.ShardHandler;
import org.apache.solr.handler.component.ShardHandlerFactory;
import org.apache.solr.handler.component.ShardRequest;
import org.apache.solr.handler.component.ShardResponse;
import org.apache.solr.request.SolrRequestInfo;
import org.jspecify.annotations.Nullable;

/**
 * Lets Solr's distributed components see a table's actors as shards. Requests gather until a response is wanted; then
 * all go out at once, one retrieve a round, so that a server gets one request a phase.
 */
final class ActorShards extends ShardHandler {
    /** Key of the {@link Plan} in a request's context. */
    static final String PLAN = "uniserve.plan";

    /** Key of the actor's number in a shard response's header. */
    static final String ACTOR = "actor";

    /** Only Solr's own shard handler may call it; the components need it to tell the shards apart. */
    private static final Method SET_SHARD = SolrEngine.SOLR.translated("find ShardResponse.setShard", () -> {
        Method method = ShardResponse.class.getDeclaredMethod("setShard", String.class);
        method.setAccessible(true);
        return method;
    });

    private final Factory factory;
    private final Map<ShardRequest, String> texts = new HashMap<>();
    private final List<Pending> pending = new ArrayList<>();
    private final Deque<ShardResponse> completed = new ArrayDeque<>();

    private ActorShards(Factory factory) {
        this.factory = factory;
    }

    /** A query being planned, and whether its facets must be fetched again, with all terms. */
    record Plan(PlanContext context, TableMeta table, AtomicBoolean refetch) {
        static Plan current() {
            Map<Object, Object> context =
                    SolrRequestInfo.getRequestInfo().getReq().getContext();
            return (Plan) Objects.requireNonNull(context.get(PLAN), "a distributed request without a plan");
        }
    }

    private record Pending(ShardRequest request, int actor) {}

    @Override
    public void prepDistributed(ResponseBuilder builder) {
        builder.shards = IntStream.range(0, Plan.current().table().partitioner().actors())
                .mapToObj(Integer::toString)
                .toArray(String[]::new);
        builder.slices = builder.shards;
    }

    @Override
    public void submit(ShardRequest request, String shard, ModifiableSolrParams params) {
        // A request's parameters are the same for all of its shards.
        texts.computeIfAbsent(request, r -> params.toQueryString().substring(1));
        pending.add(new Pending(request, Integer.parseInt(shard)));
    }

    @Override
    public @Nullable ShardResponse takeCompletedOrError() {
        while (!pending.isEmpty()) {
            Map<Integer, ShardRequest> round = new HashMap<>();
            pending.removeIf(one -> round.putIfAbsent(one.actor(), one.request()) == null);
            exchange(round);
        }
        return completed.poll();
    }

    @Override
    public @Nullable ShardResponse takeCompletedIncludingErrors() {
        return takeCompletedOrError();
    }

    private void exchange(Map<Integer, ShardRequest> round) {
        Map<Integer, String> parameters = new HashMap<>();
        round.forEach((actor, request) -> parameters.put(actor, Objects.requireNonNull(texts.get(request))));
        Plan plan = Plan.current();
        List<Bytes> replies = plan.context()
                .retrieve(plan.table().name(), round.keySet(), ShardOperator.CALL, PerActor.of(parameters), all -> all);
        for (Bytes reply : replies) {
            NamedList<Object> body =
                    new BinaryResponseParser().processResponse(new ByteArrayInputStream(reply.toArray()), null);
            Object actor = body._get(List.of("responseHeader", ACTOR), "none");
            complete(round.remove(actor), actor.toString(), body);
        }
        if (!round.isEmpty()) {
            throw new UniserveException(ErrorCode.PORT_PROTOCOL, "no reply of actors " + round.keySet());
        }
    }

    private void complete(@Nullable ShardRequest request, String shard, NamedList<Object> body) {
        if (request == null) {
            throw new UniserveException(ErrorCode.PORT_PROTOCOL, "a reply of actor " + shard + ", not asked for");
        }
        SolrResponseBase solr = new SolrResponseBase();
        solr.setResponse(body);
        ShardResponse response = new ShardResponse();
        response.setShardRequest(request);
        response.setSolrResponse(solr);
        SolrEngine.SOLR.translated("name a shard", () -> SET_SHARD.invoke(response, shard));
        request.responses.add(response);
        if (request.responses.size() == request.actualShards.length) {
            completed.add(response);
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
