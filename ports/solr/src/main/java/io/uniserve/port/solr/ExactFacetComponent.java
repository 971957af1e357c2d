package io.uniserve.port.solr;

import java.util.Arrays;
import org.apache.solr.common.params.FacetParams;
import org.apache.solr.handler.component.FacetComponent;
import org.apache.solr.handler.component.ResponseBuilder;

/**
 * Solr's facets, which also say when they may not be exact. Solr asks every shard for its top terms and refines the
 * counts of those it saw; a term that no shard listed may still belong to the answer. That is so where the counts that
 * such a term could have reach the last count of the answer. The planner then asks again for all terms. Named in
 * {@code solrconfig.xml}.
 */
public final class ExactFacetComponent extends FacetComponent {
    /** Key in a request's context, present when a facet may not be exact. */
    static final String INEXACT = "uniserve.facets.inexact";

    @Override
    public void finishStage(ResponseBuilder builder) {
        if (builder.doFacets
                && builder.getStage() == ResponseBuilder.STAGE_GET_FIELDS
                && !builder._facetInfo.facets.values().stream().allMatch(ExactFacetComponent::isExact)) {
            builder.req.getContext().put(INEXACT, Boolean.TRUE);
        }
        super.finishStage(builder);
    }

    private static boolean isExact(DistribFieldFacet facet) {
        if (facet.limit <= 0 || facet.initialLimit <= 0) {
            return true;
        }
        if (facet.sort.equals(FacetParams.FACET_SORT_INDEX)) {
            // A shard's list may end before terms that reach the minimum in all shards together.
            return facet.minCount <= 1;
        }
        long unseen = Arrays.stream(facet.missingMax).sum();
        if (unseen == 0 || unseen < facet.minCount) {
            return true;
        }
        ShardFacetCount[] seen = facet.getCountSorted();
        int wanted = facet.offset + facet.limit;
        return seen.length >= wanted && unseen < seen[wanted - 1].count;
    }
}
