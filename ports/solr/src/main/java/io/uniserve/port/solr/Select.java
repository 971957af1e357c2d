package io.uniserve.port.solr;

import io.uniserve.codec.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.common.util.SimpleOrderedMap;
import org.apache.solr.core.SolrCore;
import org.apache.solr.handler.RequestHandlerBase;
import org.apache.solr.request.SolrQueryRequestBase;
import org.apache.solr.request.SolrRequestInfo;
import org.apache.solr.response.SolrQueryResponse;

/** Runs Solr's {@code /select} on a core, without the logging and metrics that a web request has. */
final class Select {
    static final String HANDLER = "/select";

    private Select() {}

    /** Writes a response while its request, and with it the searcher, is still open. */
    @FunctionalInterface
    interface Writer {
        void write(SolrQueryRequestBase request, SolrQueryResponse response, OutputStream out) throws IOException;
    }

    /** The header has no QTime, so that equal answers are equal bytes. */
    static Bytes run(SolrCore core, SolrParams params, Map<String, Object> context, Writer writer) throws Exception {
        SolrQueryResponse response = new SolrQueryResponse();
        SimpleOrderedMap<Object> header = new SimpleOrderedMap<>();
        header.add("status", 0);
        response.addResponseHeader(header);
        try (SolrQueryRequestBase request = new SolrQueryRequestBase(core, params) {}) {
            request.getContext().put("path", HANDLER);
            request.getContext().putAll(context);
            SolrRequestInfo.setRequestInfo(new SolrRequestInfo(request, response));
            try {
                ((RequestHandlerBase) core.getRequestHandler(HANDLER)).handleRequestBody(request, response);
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                writer.write(request, response, out);
                return Bytes.wrap(out.toByteArray());
            } finally {
                SolrRequestInfo.clearRequestInfo();
            }
        }
    }
}
