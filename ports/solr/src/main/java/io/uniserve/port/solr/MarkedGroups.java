package io.uniserve.port.solr;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.apache.lucene.search.grouping.SearchGroup;
import org.apache.lucene.util.BytesRef;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.common.params.GroupParams;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.handler.component.ResponseBuilder;
import org.apache.solr.search.grouping.distributed.requestfactory.TopGroupsShardRequestFactory;

/**
 * Groups whose values are Solr's own marks. When Solr asks shards for the documents of groups, it writes that of documents without
 * a value as U+0001: a group of this text is asked for as a query. And it takes a group {@code totalHits} for a number of hits.
 */
final class MarkedGroups {
    private static final String NO_VALUE = TopGroupsShardRequestFactory.GROUP_NULL_VALUE;
    private static final BytesRef MARK = new BytesRef(NO_VALUE);
    private static final String HITS = "totalHits";

    private final ResponseBuilder builder;

    MarkedGroups(ResponseBuilder builder) {
        this.builder = builder;
    }

    /** Adds what is asked of a shard for the documents of such groups, sorted as those of groups are. */
    void ask(ModifiableSolrParams params) {
        if (params.getBool(GroupParams.GROUP_DISTRIBUTED_SECOND, false)) {
            each((field, at) -> {
                String name = GroupParams.GROUP_DISTRIBUTED_TOPGROUPS_PREFIX + field;
                String[] values = params.getParams(name).clone();
                String other = NO_VALUE;
                while (List.of(values).contains(other)) {
                    other += NO_VALUE;
                }
                values[at] = other; // its place among the groups, until what is found for it is put there
                params.set(name, values);
                params.add(GroupParams.GROUP_QUERY, query(field));
                params.set(CommonParams.SORT, params.get(GroupParams.GROUP_SORT, params.get(CommonParams.SORT)));
            });
        }
    }

    /** Puts what a shard found for such groups in their places. */
    @SuppressWarnings("unchecked") // a part of an answer is a list of anything
    void take(NamedList<Object> response) {
        if (!(response.get("secondPhase") instanceof NamedList<?> commands)) {
            return;
        }
        for (String field : builder.mergedSearchGroups.keySet()) {
            int at = commands.indexOf(field, 0);
            NamedList<Object> groups = new Groups((NamedList<Object>) commands.getVal(at));
            ((NamedList<Object>) commands).setVal(at, groups);
        }
        each((field, at) -> {
            NamedList<Object> groups = (NamedList<Object>) Objects.requireNonNull(commands.get(field));
            int place = groups.size() - builder.mergedSearchGroups.get(field).size() + at;
            groups.setName(place, NO_VALUE);
            groups.setVal(place, commands.remove(query(field)));
        });
    }

    private static String query(String field) {
        return "{!term tag=U+0001 f=" + field + "}" + NO_VALUE;
    }

    /** The fields of which a group is the mark, and its place. */
    private void each(BiConsumer<String, Integer> marked) {
        for (Map.Entry<String, Collection<SearchGroup<BytesRef>>> field : builder.mergedSearchGroups.entrySet()) {
            int at = 0;
            for (SearchGroup<BytesRef> group : field.getValue()) {
                if (MARK.equals(group.groupValue)) {
                    marked.accept(field.getKey(), at);
                }
                at++;
            }
        }
    }

    /** The groups of a field, after two numbers; none of them is a number of hits. */
    private static final class Groups extends NamedList<Object> {
        private static final long serialVersionUID = 1;

        Groups(NamedList<Object> groups) {
            addAll(groups);
        }

        @Override
        public Object get(String name) {
            return name.equals(HITS) ? null : super.get(name);
        }
    }
}
