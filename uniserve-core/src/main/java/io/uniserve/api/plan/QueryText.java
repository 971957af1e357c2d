package io.uniserve.api.plan;

import io.uniserve.codec.CodePoints;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import java.util.List;

/**
 * Query in the engine's language, such as Solr's {@code q=text:dog&rows=5}, over a table or some of its actors. Immutable.
 *
 * <p>Errors: the constructor throws INVALID_ARGUMENT for a text that is too long or has a lone surrogate.
 *
 * @param table the table
 * @param text the query
 * @param actors the actors to query, distinct and in ascending order; empty for all actors of the table
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

    /** Query over all actors. */
    public QueryText(TableName table, String text) {
        this(table, text, List.of());
    }
}
