package io.uniserve.port.solr;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.ShardRounds;
import io.uniserve.codec.Bytes;
import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.apache.solr.client.solrj.impl.BinaryResponseParser;
import org.apache.solr.client.solrj.response.SolrResponseBase;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.handler.component.ResponseBuilder;
import org.apache.solr.handler.component.ShardHandler;
import org.apache.solr.handler.component.ShardHandlerFactory;
import org.apache.solr.handler.component.ShardRequest;
import org.apache.solr.handler.component.ShardResponse;
import org.jspecify.annotations.Nullable;

/** Lets Solr's distributed components see a table's actors as shards, all asked at once. Named in {@code solr.xml}. */
public final class ActorShards extends ShardHandlerFactory {
    /** Only Solr's own shard handler may call it; the components need it to tell the shards apart. */
    private static final BiConsumer<ShardResponse, String> SET_SHARD =
            SolrEngine.SOLR.hidden(ShardResponse.class, "setShard", String.class);

    @Override
    public ShardHandler getShardHandler() {
        return new Handler();
    }

    @Override
    public void close() {}

    private final class Handler extends ShardHandler {
        private final ShardRounds<ShardRequest> rounds = new ShardRounds<>();
        private @Nullable SolrQuery query;

        @Override
        public void prepDistributed(ResponseBuilder builder) {
            query = SolrQuery.of(builder.req);
            var actors = query.context.actors(query.table.name()).stream();
            builder.shards = actors.map(String::valueOf).toArray(String[]::new);
            builder.slices = builder.shards;
        }

        @Override
        public void submit(ShardRequest request, String shard, ModifiableSolrParams params) {
            if (request.purpose == ShardRequest.PURPOSE_GET_FIELDS
                    && Arrays.toString(params.getParams("fl")).matches("\\[?[^\\[({$]*")) {
                // Plain fields of documents that are known by their keys: they do not take the query.
                params.set("q", "*:*").set("defType", "lucene").set("fq");
            }
            rounds.add(request, Integer.parseInt(shard), params);
        }

        @Override
        public @Nullable ShardResponse takeCompletedOrError() {
            SolrQuery asking = Objects.requireNonNull(query);
            var call = RetrieveCall.of(SolrQuery.SHARD);
            var request = rounds.next(asking.context, asking.table.name(), call, this::take);
            return request == null ? null : request.responses.get(request.responses.size() - 1);
        }

        private void take(ShardRequest request, int actor, Bytes body) {
            SolrResponseBase solr = new SolrResponseBase();
            solr.setResponse(
                    new BinaryResponseParser().processResponse(new ByteArrayInputStream(body.toArray()), null));
            ShardResponse response = new ShardResponse();
            response.setShardRequest(request);
            response.setSolrResponse(solr);
            SET_SHARD.accept(response, Integer.toString(actor));
            request.responses.add(response);
            SolrQuery asking = Objects.requireNonNull(query);
            asking.buckets.add(solr.getResponse().get("facets"));
            if (asking.cursor != null) {
                asking.cursor.take(actor, solr.getResponse());
            }
        }

        @Override
        public @Nullable ShardResponse takeCompletedIncludingErrors() {
            return takeCompletedOrError();
        }

        @Override
        public void cancelAll() {
            rounds.clear();
        }

        @Override
        public ShardHandlerFactory getShardHandlerFactory() {
            return ActorShards.this;
        }
    }
}
