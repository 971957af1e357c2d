package io.uniserve.api.plan;

import io.uniserve.codec.CodePoints;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import java.util.List;

/**
 * A query in the engine's language, e.g. Solr's {@code q=text:dog&rows=5}, over a table or a part of it.
 *
 * @param actors the actors it is asked of, distinct and in ascending order; none for all of the table's
 */
public record QueryText(TableName table, String text, List<Integer> actors) {
    public QueryText {
        actors = List.copyOf(actors);
        if (text.length() > Limits.QUERY_TEXT_CHARS_MAX) {
            throw UniserveException.invalid(
                    "query has " + text.length() + " characters, at most " + Limits.QUERY_TEXT_CHARS_MAX);
        }
        CodePoints.checked(ErrorCode.INVALID_ARGUMENT, "query", text);
    }

    /** A query of all actors. */
    public QueryText(TableName table, String text) {
        this(table, text, List.of());
    }
}
