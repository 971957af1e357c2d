package io.uniserve.port.solr;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.codec.Bytes;
import io.uniserve.port.solr.facet.CodePointText;
import io.uniserve.port.solr.query.ShardRequestBatcher;
import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.apache.lucene.search.grouping.SearchGroup;
import org.apache.lucene.util.BytesRef;
import org.apache.solr.client.solrj.impl.BinaryResponseParser;
import org.apache.solr.client.solrj.response.SolrResponseBase;
import org.apache.solr.common.params.GroupParams;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.handler.component.ResponseBuilder;
import org.apache.solr.handler.component.ShardHandler;
import org.apache.solr.handler.component.ShardHandlerFactory;
import org.apache.solr.handler.component.ShardRequest;
import org.apache.solr.handler.component.ShardResponse;
import org.apache.solr.search.grouping.distributed.requestfactory.TopGroupsShardRequestFactory;
import org.jspecify.annotations.Nullable;

/**
 * Shard handler that presents a table's actors as shards to Solr's distributed components, and calls them in parallel. Named in {@code
 * solr.xml}.
 */
public final class ActorShards extends ShardHandlerFactory {
    /** Only Solr's own shard handler may call it; the components need it to distinguish the shards. */
    private static final BiConsumer<ShardResponse, String> SET_SHARD =
            SolrErrorMapper.SOLR.nonPublicMethod(ShardResponse.class, "setShard", String.class);

    /** Solr's name for a group without a value in the request for its documents. A group with this text is requested as a query. */
    private static final String NO_VALUE_TEXT = TopGroupsShardRequestFactory.GROUP_NULL_VALUE;

    private static final String MARKED = "{!term tag=U+0001 f=";

    @Override
    public ShardHandler getShardHandler() {
        return new Handler();
    }

    @Override
    public void close() {}

    private final class Handler extends ShardHandler {
        private final ShardRequestBatcher<ShardRequest> batcher = new ShardRequestBatcher<>();
        private @Nullable SolrQuery query;
        private Map<String, Collection<SearchGroup<BytesRef>>> groups = Map.of();

        @Override
        public void prepDistributed(ResponseBuilder builder) {
            query = SolrQuery.of(builder.req);
            groups = builder.mergedSearchGroups;
            var actors = query.context.actors(query.table.name()).stream();
            builder.shards = actors.map(String::valueOf).toArray(String[]::new);
            builder.slices = builder.shards;
        }

        @Override
        public void submit(ShardRequest request, String shard, ModifiableSolrParams params) {
            if (request.purpose == ShardRequest.PURPOSE_GET_FIELDS
                    && Arrays.toString(params.getParams("fl")).matches("\\[?[^\\[({$]*")) {
                // Returns plain fields of documents with known keys: the query is not needed.
                params.set("q", "*:*").set("defType", "lucene").set("fq");
            }
            forEachMarkedGroup((field, at) -> {
                String[] values = params.getParams(GroupParams.GROUP_DISTRIBUTED_TOPGROUPS_PREFIX + field);
                if (values != null) {
                    String[] others = values.clone();
                    others[at] =
                            NO_VALUE_TEXT + String.join("", values); // a text that no other group has, as placeholder
                    params.set(GroupParams.GROUP_DISTRIBUTED_TOPGROUPS_PREFIX + field, others);
                    params.add(GroupParams.GROUP_QUERY, MARKED + field + "}" + NO_VALUE_TEXT);
                    params.set("sort", params.get(GroupParams.GROUP_SORT, params.get("sort")));
                }
            });
            batcher.add(request, Integer.parseInt(shard), params);
        }

        @Override
        public @Nullable ShardResponse takeCompletedOrError() {
            SolrQuery asking = Objects.requireNonNull(query);
            var sent = batcher.nextCompleted(
                    asking.context, asking.table.name(), RetrieveCall.of(SolrQuery.SHARD), this::onReply);
            return sent == null ? null : sent.responses.get(sent.responses.size() - 1);
        }

        private void onReply(ShardRequest request, int actor, Bytes body) {
            SolrResponseBase solr = new SolrResponseBase();
            solr.setResponse(
                    new BinaryResponseParser().processResponse(new ByteArrayInputStream(body.toArray()), null));
            ShardResponse response = new ShardResponse();
            response.setShardRequest(request);
            response.setSolrResponse(solr);
            SET_SHARD.accept(response, Integer.toString(actor));
            request.responses.add(response);
            restoreMarkedGroups(solr.getResponse().get("secondPhase"));
            CodePointText.replaceStrings(solr.getResponse().get("facets"), any -> true);
            CodePointText.replaceStrings(
                    solr.getResponse().findRecursive("facet_counts", "facet_pivot"), "value"::equals);
            SolrQuery asking = Objects.requireNonNull(query);
            asking.buckets.add(solr.getResponse().get("facets"));
            if (asking.cursor != null) {
                asking.cursor.onReply(actor, solr.getResponse());
            }
        }

        /** Puts documents of marked groups in their places, and replaces a {@code totalHits} that is not a number of hits. */
        @SuppressWarnings("unchecked") // a part of an answer is a list of values of any type
        private void restoreMarkedGroups(@Nullable Object found) {
            if (found instanceof NamedList<?> commands) {
                groups.keySet().forEach(field -> {
                    NamedList<Object> all = new NamedList<>() {
                        @Override
                        public @Nullable Object get(String name) {
                            return name.equals("totalHits") ? null : super.get(name);
                        }
                    };
                    all.addAll((NamedList<Object>) commands.get(field));
                    ((NamedList<Object>) commands).setVal(commands.indexOf(field, 0), all);
                });
                forEachMarkedGroup((field, at) -> {
                    NamedList<Object> all = (NamedList<Object>) commands.get(field);
                    int place = all.size()
                            - Objects.requireNonNull(groups.get(field)).size()
                            + at;
                    all.setName(place, NO_VALUE_TEXT);
                    all.setVal(place, commands.remove(MARKED + field + "}" + NO_VALUE_TEXT));
                });
            }
        }

        /** Calls back for the fields with a group whose text is Solr's name for no value, with its place. */
        private void forEachMarkedGroup(BiConsumer<String, Integer> each) {
            groups.forEach((field, some) -> {
                int at = some.stream().map(one -> one.groupValue).toList().indexOf(new BytesRef(NO_VALUE_TEXT));
                if (at >= 0) {
                    each.accept(field, at);
                }
            });
        }

        @Override
        public @Nullable ShardResponse takeCompletedIncludingErrors() {
            return takeCompletedOrError();
        }

        @Override
        public void cancelAll() {
            batcher.clear();
        }

        @Override
        public ShardHandlerFactory getShardHandlerFactory() {
            return ActorShards.this;
        }
    }
}
