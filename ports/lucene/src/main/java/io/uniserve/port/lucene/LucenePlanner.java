package io.uniserve.port.lucene;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.lucene.LuceneOperators.Near;
import io.uniserve.port.lucene.LuceneOperators.Phrase;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Planner of the language {@code count WORDS}, {@code phrase LIMIT SLOP WORDS}, {@code near LIMIT NUMBERS}. Answers are text: a number, or
 * one line per document with its score and its key.
 */
final class LucenePlanner implements Planner {
    private static final String USAGE = "use count WORDS, phrase LIMIT SLOP WORDS or near LIMIT NUMBERS";

    @Override
    public Answer answer(QueryText query, PlanContext context) {
        Deque<String> words = new ArrayDeque<>(List.of(query.text().strip().split("\\s+")));
        String text = switch (words.remove()) {
            case "count" -> count(query, context, rest(words));
            case "phrase" -> phrase(query, context, words);
            case "near" -> near(query, context, words);
            default -> throw UniserveException.invalid("unknown query: " + USAGE);
        };
        return new Answer("text/plain", Bytes.utf8(text)).withRows(text.lines().count());
    }

    private static String count(QueryText query, PlanContext context, String words) {
        List<Long> counts =
                context.retrieve(query.table(), RetrieveCall.of(LuceneOperators.COUNT), words, parts -> parts);
        return counts.stream().mapToLong(Long::longValue).sum() + "\n";
    }

    private static String phrase(QueryText query, PlanContext context, Deque<String> words) {
        int limit = number(words, Integer::valueOf);
        int slop = number(words, Integer::valueOf);
        return hits(query, context, LuceneOperators.PHRASE, new Phrase(rest(words), slop, limit), limit);
    }

    private static String near(QueryText query, PlanContext context, Deque<String> words) {
        int limit = number(words, Integer::valueOf);
        List<Double> vector = new ArrayList<>();
        while (!words.isEmpty()) {
            vector.add(number(words, Double::valueOf));
        }
        return hits(query, context, LuceneOperators.NEAR, new Near(vector, limit), limit);
    }

    private static <P> String hits(
            QueryText query, PlanContext context, RetrieveOperator<?, P, List<Hit>> operator, P parameters, int limit) {
        context.useStickyReplicas();
        List<Hit> best = context.retrieve(
                query.table(),
                RetrieveCall.of(operator),
                parameters,
                parts -> parts.stream().reduce(List.of(), (left, right) -> Hit.mergeBest(limit, left, right)));
        StringBuilder lines = new StringBuilder();
        for (Hit hit : best) {
            lines.append(
                    String.format(Locale.ROOT, "%.6f %s\n", hit.score(), LuceneDocumentConverter.key(hit.document())));
        }
        return lines.toString();
    }

    private static String rest(Deque<String> words) {
        if (words.isEmpty()) {
            throw UniserveException.invalid("incomplete query: " + USAGE);
        }
        return String.join(" ", words);
    }

    private static <T> T number(Deque<String> words, Function<String, T> parse) {
        rest(words);
        String word = words.remove();
        try {
            return parse.apply(word);
        } catch (NumberFormatException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, "\"" + word + "\" is not a number: " + USAGE, e);
        }
    }
}
