package io.uniserve.port.solr;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.search.QParser;
import org.apache.solr.search.QParserPlugin;
import org.apache.solr.search.QueryParsing;
import org.jspecify.annotations.Nullable;

/** Stands in for a query parser that is not supported, and refuses by its name. Named in {@code solrconfig.xml}. */
public final class RefusedParserPlugin extends QParserPlugin {
    @Override
    public QParser createParser(
            @Nullable String text, @Nullable SolrParams local, @Nullable SolrParams params, SolrQueryRequest request) {
        String name = local == null ? "asked for" : "{!" + local.get(QueryParsing.TYPE) + "}";
        throw new UniserveException(
                ErrorCode.UNSUPPORTED,
                "query parser " + name + " is not supported: use lucene, edismax, field, term, terms, prefix or bool");
    }
}
