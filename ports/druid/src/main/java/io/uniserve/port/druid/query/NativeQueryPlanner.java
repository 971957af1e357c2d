package io.uniserve.port.druid.query;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.codec.Bytes;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.port.druid.runtime.DruidErrors;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.runtime.JavaScriptCheck;
import io.uniserve.port.druid.runtime.TableLookups;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryToolChest;
import org.apache.druid.query.lookup.LookupExtractorFactoryContainer;
import org.apache.druid.query.union.UnionQuery;

/** Planner of Druid's native queries. A query is JSON; the answer is a JSON array of Druid's results. */
public final class NativeQueryPlanner implements Planner {
    private static final String CONTENT_TYPE = "application/json";

    private final DruidServices services = DruidServices.get();
    private final NativeQueryRunner runner = new NativeQueryRunner(services);

    @Override
    public Answer answer(QueryText query, PlanContext context) {
        return DruidErrors.DRUID.call("answer a query", () -> {
            Query<?> parsed = parse(query.text());
            if (parsed.context().isBySegment()) {
                throw UniserveException.unsupported("context key bySegment: remove it; segments' results are merged");
            }
            if (parsed instanceof UnionQuery) {
                throw UniserveException.unsupported("queryType union, which only Druid's SQL planner makes:"
                        + " use a data source of type union, or SQL with UNION ALL");
            }
            return services.lookups()
                    .call(
                            lookups(query.table(), parsed, context),
                            () -> new Answer(CONTENT_TYPE, Bytes.wrap(answer(parsed, context))));
        });
    }

    /** Lookups of all tables of the query; those of the table that it is sent to come first. */
    private static Map<String, LookupExtractorFactoryContainer> lookups(
            TableName first, Query<?> query, PlanContext context) {
        Map<String, LookupExtractorFactoryContainer> all = new HashMap<>(TableLookups.of(context.table(first)));
        for (String name : query.getDataSource().getTableNames()) {
            TableLookups.add(context.table(new TableName(name)), all);
        }
        return all;
    }

    private <T> byte[] answer(Query<T> query, PlanContext context) throws JsonProcessingException {
        List<T> rows = runner.run(query, context).toList();
        QueryToolChest<T, Query<T>> toolChest =
                services.brokerFactories().conglomerate().getToolChest(query);
        if (toolChest == null) {
            return services.json().writeValueAsBytes(rows);
        }
        ObjectMapper mapper = toolChest.decorateObjectMapper(services.json(), query);
        JavaType type = mapper.getTypeFactory().constructCollectionType(List.class, toolChest.getBaseResultType());
        return mapper.writerFor(type).writeValueAsBytes(rows);
    }

    private Query<?> parse(String text) {
        try {
            JsonNode tree = services.json().readTree(text);
            if (tree == null || !tree.isObject()) {
                throw UniserveException.invalid("the query is not a JSON object: write one with \"queryType\"");
            }
            JavaScriptCheck.check("a query", tree);
            return services.json().treeToValue(tree, Query.class);
        } catch (JsonProcessingException e) {
            throw UniserveException.invalid("the query is not valid: " + PrintableText.line(e.getOriginalMessage())
                    + "; use the types of Druid's native queries");
        }
    }
}
