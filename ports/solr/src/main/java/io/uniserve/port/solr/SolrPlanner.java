package io.uniserve.port.solr;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.codec.Bytes;
import io.uniserve.model.TableMeta;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.core.SolrCore;
import org.apache.solr.response.JacksonJsonWriter;

/**
 * Plans Solr's parameter language: checks the parameters, then lets Solr's distributed {@code /select} run on an empty
 * core of the table's configset with the actors as its shards. Answers are Solr's JSON.
 */
final class SolrPlanner implements Planner {
    private static final String SHARD_FACET_LIMIT = "facet.shard.limit";

    private final Supplier<SolrInstance> running;

    SolrPlanner(Supplier<SolrInstance> running) {
        this.running = running;
    }

    @Override
    public Answer answer(QueryText query, PlanContext context) {
        TableMeta table = context.table(query.table());
        Configset configset = Configset.of(table);
        ModifiableSolrParams params = SolrLanguage.parse(query.text(), configset);
        params.set(CommonParams.DISTRIB, true);
        SolrCore core = running.get().planning(configset);
        ActorShards.Plan plan = new ActorShards.Plan(context, table);
        return SolrFailure.translated("plan the query", () -> {
            Map<String, Object> notes = new HashMap<>(Map.of(ActorShards.PLAN, plan));
            Bytes body = run(core, params, notes);
            if (notes.containsKey(ExactFacetComponent.INEXACT)) {
                params.set(SHARD_FACET_LIMIT, -1);
                body = run(core, params, notes);
            }
            return new Answer("application/json", body);
        });
    }

    private static Bytes run(SolrCore core, ModifiableSolrParams params, Map<String, Object> notes) throws Exception {
        return Select.run(core, params, notes, (request, response, out) -> {
            if (request.getContext().containsKey(ExactFacetComponent.INEXACT)) {
                notes.put(ExactFacetComponent.INEXACT, Boolean.TRUE);
            }
            if (params.getBool(CommonParams.OMIT_HEADER, false)) {
                response.removeResponseHeader();
            }
            new JacksonJsonWriter().write(out, request, response);
        });
    }
}
