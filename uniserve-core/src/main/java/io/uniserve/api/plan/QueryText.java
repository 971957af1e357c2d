package io.uniserve.api.plan;

import io.uniserve.codec.CodePoints;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A query in the engine's language, e.g. Solr's {@code q=text:dog&rows=5}, over a table or a part of it.
 *
 * @param actors the actors it is asked of, distinct and in ascending order; none for all of the table's
 */
public record QueryText(TableName table, String text, List<Integer> actors) {
    private static final Pattern NOT_ASCII = Pattern.compile("[^\\p{ASCII}]+");

    public QueryText {
        actors = List.copyOf(actors);
        if (text.length() > Limits.QUERY_TEXT_CHARS_MAX) {
            throw UniserveException.invalid(
                    "query has " + text.length() + " characters, at most " + Limits.QUERY_TEXT_CHARS_MAX);
        }
        CodePoints.checked(ErrorCode.INVALID_ARGUMENT, "query", text);
    }

    /** A text with URL escapes for what is not ASCII, so that people may leave them out. */
    public static String escaped(String text) {
        return NOT_ASCII
                .matcher(text.strip())
                .replaceAll(found -> URLEncoder.encode(found.group(), StandardCharsets.UTF_8));
    }

    /** A character that stands in none of these texts, to put between them; UNSUPPORTED where they have all that may. */
    public static String between(List<String> texts) {
        return IntStream.rangeClosed('\ue000', '\uf8ff')
                .mapToObj(Character::toString)
                .filter(one -> texts.stream().noneMatch(text -> text.contains(one)))
                .findFirst()
                .orElseThrow(() -> UniserveException.unsupported(
                        "texts that have all of U+E000 to U+F8FF: ask for fewer of them"));
    }

    /** A query of all actors. */
    public QueryText(TableName table, String text) {
        this(table, text, List.of());
    }

    /** An order such as {@code price desc} with the key last, so that ties do not depend on how rows are spread. */
    public static String tied(String order, String key) {
        boolean byKey = order.contains(key) && order.matches("(?si)(.*,)?\\s*\\Q" + key + "\\E\\s+(asc|desc)\\b.*");
        return byKey ? order : (order.isBlank() ? "score desc" : order) + "," + key + " asc";
    }
}
