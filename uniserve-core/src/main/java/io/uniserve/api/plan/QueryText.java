package io.uniserve.api.plan;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;

/** A query in the engine's language, e.g. Solr's {@code q=text:dog&rows=5}, over a table. */
public record QueryText(TableName table, String text) {
    public QueryText {
        if (text.length() > Limits.QUERY_TEXT_CHARS_MAX) {
            throw UniserveException.invalid(
                    "query has " + text.length() + " characters, at most " + Limits.QUERY_TEXT_CHARS_MAX);
        }
    }
}
