package com.example.port;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.List;

/**
 * Planner of the language: {@code count}, {@code sum}, {@code top LIMIT}, and {@code above} for the number of rows above the average,
 * which takes two rounds.
 */
final class H2Planner implements Planner {
    private static final String USAGE = "use count, sum, top LIMIT or above";
    private static final long ALL = Long.MIN_VALUE;

    @Override
    public Answer answer(QueryText query, PlanContext context) {
        String[] words = query.text().strip().split("\\s+");
        String text = switch (words.length + " " + words[0]) {
            case "1 count" -> total(query, context, H2Operators.COUNT, ALL) + "\n";
            case "1 sum" -> total(query, context, H2Operators.SUM, ALL) + "\n";
            case "1 above" -> above(query, context) + "\n";
            case "2 top" -> top(query, context, words[1]);
            default -> throw UniserveException.invalid("unknown query: " + USAGE);
        };
        return new Answer("text/plain", Bytes.utf8(text)).withRows(text.lines().count());
    }

    /** Values come from actors or, merged, from servers, in any order. */
    private static long total(
            QueryText query, PlanContext context, RetrieveOperator<?, Long, Long> operator, long least) {
        return context.retrieve(
                query.table(),
                RetrieveCall.of(operator),
                least,
                values -> values.stream().reduce(0L, H2Operators::plus));
    }

    private static long above(QueryText query, PlanContext context) {
        long count = total(query, context, H2Operators.COUNT, ALL);
        if (count == 0) {
            return 0;
        }
        long average = Math.floorDiv(total(query, context, H2Operators.SUM, ALL), count);
        return average == Long.MAX_VALUE ? 0 : total(query, context, H2Operators.COUNT, average + 1);
    }

    private static String top(QueryText query, PlanContext context, String limit) {
        H2Operators.Top top = new H2Operators.Top(number(limit));
        List<Document> rows = context.retrieve(
                query.table(), RetrieveCall.of(H2Operators.TOP), top, values -> H2Operators.best(top, values.stream()));
        StringBuilder lines = new StringBuilder();
        rows.forEach(row -> lines.append(row.fields().get(H2Actor.NUMBER))
                .append(' ')
                .append(row.fields().get(H2Actor.ID))
                .append('\n'));
        return lines.toString();
    }

    private static int number(String word) {
        try {
            return Integer.parseInt(word);
        } catch (NumberFormatException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, "LIMIT is \"" + word + "\": use a whole number", e);
        }
    }
}
