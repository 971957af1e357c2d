package io.uniserve.port.kv;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.TableName;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BinaryOperator;

/**
 * Planner of the language {@code get KEY}, {@code count [PREFIX]}, {@code sum FIELD}, {@code scan LIMIT [PREFIX]}, {@code range LIMIT
 * KEY}. Answers are JSON.
 */
final class KvPlanner implements Planner {
    @Override
    public Answer answer(QueryText query, PlanContext context) {
        String[] words = query.text().strip().split("\\s+", 2);
        String rest = words.length > 1 ? words[1] : "";
        return switch (words[0]) {
            case "get" -> json(get(query.table(), required(rest, "get KEY"), context), 1);
            case "count" -> json("{\"count\":" + total(query, KvOperators.COUNT, rest, context) + "}", 1);
            case "sum" ->
                json("{\"sum\":" + total(query, KvOperators.SUM, required(rest, "sum FIELD"), context) + "}", 1);
            case "scan" -> scan(query.table(), required(rest, "scan LIMIT [PREFIX]"), context);
            case "range" -> range(query.table(), required(rest, "range LIMIT KEY"), context);
            default ->
                throw UniserveException.invalid("unknown query \"" + words[0]
                        + "\"; use get KEY, count [PREFIX], sum FIELD, scan LIMIT [PREFIX] or range LIMIT KEY");
        };
    }

    private static Answer json(String json, int rows) {
        return new Answer("application/json", Bytes.utf8(json)).withRows(rows);
    }

    private static String get(TableName table, String key, PlanContext context) {
        List<Integer> actors = context.actorsOf(table, PartitionKey.of(key));
        if (actors.isEmpty()) {
            return "null"; // the key's actor is not among those of the query
        }
        List<Document> found = context.retrieve(
                table,
                new TreeSet<>(actors),
                RetrieveCall.of(KvOperators.GET),
                key,
                values -> values.stream().flatMap(List::stream).toList());
        return found.isEmpty() ? "null" : KvJsonWriter.of(found.get(0).fields());
    }

    private static long total(
            QueryText query, RetrieveOperator<KvActor, String, Long> operator, String parameter, PlanContext context) {
        return context.retrieve(
                query.table(),
                RetrieveCall.of(operator),
                parameter,
                values -> values.stream().reduce(0L, KvOperators::addExact));
    }

    private static Answer scan(TableName table, String rest, PlanContext context) {
        String[] words = rest.split("\\s+", 2);
        KvOperators.Scan scan = new KvOperators.Scan(words.length > 1 ? words[1] : "", number(words[0]));
        return documents(table, KvOperators.SCAN, scan, scan::merge, context);
    }

    private static Answer range(TableName table, String rest, PlanContext context) {
        String[] words = rest.split("\\s+", 2);
        String key = required(words.length > 1 ? words[1] : "", "range LIMIT KEY");
        KvRange range = new KvRange("t" + key, number(words[0]), List.of());
        return documents(table, KvOperators.RANGE, range, range::merge, context);
    }

    private static <P> Answer documents(
            TableName table,
            RetrieveOperator<KvActor, P, List<Document>> operator,
            P parameters,
            BinaryOperator<List<Document>> merge,
            PlanContext context) {
        List<Document> documents = context.retrieve(
                table,
                RetrieveCall.of(operator),
                parameters,
                values -> values.stream().reduce(List.of(), merge));
        return json(KvJsonWriter.of(documents.stream().map(Document::fields).toList()), documents.size());
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new UniserveException(
                    io.uniserve.error.ErrorCode.INVALID_ARGUMENT, "LIMIT is \"" + text + "\": use a whole number", e);
        }
    }

    private static String required(String text, String usage) {
        if (text.isEmpty()) {
            throw UniserveException.invalid("incomplete query; use " + usage);
        }
        return text;
    }
}
