package io.uniserve.port.solr;

import io.uniserve.api.EngineErrorMapper;
import io.uniserve.lucene.QueryErrorClassifier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.solr.common.SolrException;
import org.apache.solr.search.SyntaxError;

/** Translation of exceptions of Solr: errors of the user's query or document, and failures of the engine. */
final class SolrErrorMapper {
    /** Table option: the maximum number of clauses of a query. */
    static final String CLAUSES_OPTION = "maxBooleanClauses";

    private static final Pattern READING =
            Pattern.compile("\\.solr\\.(search\\..*QParser|handler\\.component\\..*\\.prepare$)");

    /** Failures of calls into Solr: exceptions for an invalid query or document are the user's. */
    static final EngineErrorMapper SOLR = EngineErrorMapper.forUserErrors(
                    "Solr",
                    failure -> failure instanceof SyntaxError
                            || QueryErrorClassifier.isOne(failure)
                            || QueryErrorClassifier.whileRead(failure, READING)
                            || String.valueOf(failure.getMessage())
                                    .matches(
                                            "(?s)(unexpected docvalues|Exceeded max).*|.*does not support spatial filtering")
                            || (failure instanceof SolrException solr
                                    && solr.code() == SolrException.ErrorCode.BAD_REQUEST.code))
            .withMessages(SolrErrorMapper::reason);

    private static final UnaryOperator<String> REASONS = QueryErrorClassifier.reasons(
            "use {!terms f=FIELD}a,b,c, or a table with a larger option " + CLAUSES_OPTION);

    private static String reason(String message) {
        boolean entities = message.contains("Error parsing XML stream") && message.contains("ntit");
        return entities
                ? "a query in XML has entities: remove its DOCTYPE; " + REASONS.apply(message)
                : REASONS.apply(message);
    }

    private SolrErrorMapper() {}
}
