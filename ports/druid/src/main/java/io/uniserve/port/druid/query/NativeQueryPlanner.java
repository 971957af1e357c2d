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
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryToolChest;
import org.apache.druid.query.Result;
import org.apache.druid.query.lookup.LookupExtractorFactoryContainer;
import org.apache.druid.query.scan.ScanResultValue;
import org.apache.druid.query.search.SearchResultValue;
import org.apache.druid.query.topn.TopNResultValue;
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
            return services.lookups().call(lookups(query.table(), parsed, context), () -> answer(parsed, context));
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

    private <T> Answer answer(Query<T> query, PlanContext context) throws JsonProcessingException {
        List<T> rows = runner.run(query, context).toList();
        QueryToolChest<T, Query<T>> toolChest =
                services.brokerFactories().conglomerate().getToolChest(query);
        if (toolChest == null) {
            return answer(services.json().writeValueAsBytes(rows), rows);
        }
        ObjectMapper mapper = toolChest.decorateObjectMapper(services.json(), query);
        JavaType type = mapper.getTypeFactory().constructCollectionType(List.class, toolChest.getBaseResultType());
        return answer(mapper.writerFor(type).writeValueAsBytes(rows), rows);
    }

    private static Answer answer(byte[] json, List<?> results) {
        long rows = results.stream().mapToLong(NativeQueryPlanner::rows).sum();
        return new Answer(CONTENT_TYPE, Bytes.wrap(json)).withRows(rows);
    }

    /** Rows of one result: events of a scan, values of a topN or search, else one. */
    private static long rows(Object result) {
        Object value = result instanceof Result<?> timed ? timed.getValue() : result;
        if (value instanceof ScanResultValue scanned && scanned.getEvents() instanceof Collection<?> events) {
            return events.size();
        } else if (value instanceof TopNResultValue top) {
            return top.getValue().size();
        }
        return value instanceof SearchResultValue found ? found.getValue().size() : 1;
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
