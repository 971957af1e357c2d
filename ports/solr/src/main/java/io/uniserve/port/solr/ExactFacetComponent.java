package io.uniserve.port.solr;

import java.util.Arrays;
import org.apache.solr.common.params.FacetParams;
import org.apache.solr.handler.component.FacetComponent;
import org.apache.solr.handler.component.ResponseBuilder;

/**
 * Solr's facets, which also say when they may not be exact: Solr refines the counts of terms that some shard listed
 * among its top, but a term that none listed may belong to the answer where its possible count reaches the answer's
 * last. The planner then asks again for all terms. Named in {@code solrconfig.xml}.
 */
public final class ExactFacetComponent extends FacetComponent {
    @Override
    public void finishStage(ResponseBuilder builder) {
        if (builder.doFacets && builder.getStage() == ResponseBuilder.STAGE_GET_FIELDS) {
            ActorShards.Plan.current()
                    .refetch()
                    .set(!builder._facetInfo.facets.values().stream().allMatch(ExactFacetComponent::isExact));
        }
        super.finishStage(builder);
    }

    private static boolean isExact(DistribFieldFacet facet) {
        if (facet.sort.equals(FacetParams.FACET_SORT_INDEX)) {
            // A shard's list may end before terms that reach the minimum in all shards together.
            return facet.minCount <= 1 || facet.initialLimit <= 0;
        }
        long unseen = Arrays.stream(facet.missingMax).sum();
        ShardFacetCount[] seen = facet.getCountSorted();
        int wanted = facet.offset + facet.limit;
        return unseen == 0 || unseen < facet.minCount || (seen.length >= wanted && unseen < seen[wanted - 1].count);
    }
}
