package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.codec.CodePoints;
import io.uniserve.port.solr.query.ParameterTextEncoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.solr.client.solrj.SolrServerException;
import org.apache.solr.client.solrj.embedded.EmbeddedSolrServer;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.core.CoreContainer;
import org.apache.solr.core.CoreDescriptor;
import org.apache.solr.core.SolrCore;
import org.apache.solr.core.SolrXmlConfig;
import org.apache.solr.request.LocalSolrQueryRequest;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.request.SolrRequestInfo;
import org.apache.solr.response.QueryResponseWriterUtil;
import org.apache.solr.response.SolrQueryResponse;
import org.apache.solr.servlet.SolrRequestParsers;

/**
 * Oracle: one core of Apache Solr with its own handlers and without the port. It gets the user's parameters unchanged; only the schema is
 * the table's. Documents are added in the order of their ids, so that equal documents have the same index order as in the port.
 */
final class PlainCore implements AutoCloseable {
    private static final String NAME = "plain";

    private final CoreContainer container;
    private final EmbeddedSolrServer server;
    private final Path schema;

    private PlainCore(CoreContainer container, Path schema) {
        this.container = container;
        this.schema = schema;
        this.server = new EmbeddedSolrServer(container, NAME);
    }

    /** Creates a core with the port's default schema and these documents. */
    static PlainCore of(Path directory, List<Document> documents) throws IOException, SolrServerException {
        Map<String, String> schema =
                Map.of("schema.xml", PackedFilesCodec.readResource(SolrEngine.class, "schema.xml"));
        return of(directory, schema, documents);
    }

    /** Creates a core with a schema and the files that it names, by name, and these documents. */
    static PlainCore of(Path directory, Map<String, String> files, List<Document> documents)
            throws IOException, SolrServerException {
        System.setProperty("disable.v2.api", "true"); // needs a servlet container
        Path home = LocalTable.fresh(directory).toAbsolutePath();
        Path conf = Files.createDirectories(home.resolve("configsets/plain/conf"));
        Path schema = conf.resolve("schema.xml");
        write(conf, files);
        try (InputStream config = PlainCore.class.getResourceAsStream("plain-solrconfig.xml")) {
            Files.copy(Objects.requireNonNull(config), conf.resolve("solrconfig.xml"));
        }
        CoreContainer container = new CoreContainer(SolrXmlConfig.fromString(
                home, "<solr><str name=\"allowPaths\">*</str><metrics enabled=\"false\"/></solr>"));
        container.load();
        Map<String, String> properties = Map.of(CoreDescriptor.CORE_CONFIGSET, NAME);
        container.create(NAME, home.resolve(NAME), properties, false);
        PlainCore plain = new PlainCore(container, schema);
        plain.add(documents);
        return plain;
    }

    /** Changes the schema for documents that are added later. */
    void change(String text) throws IOException {
        Files.writeString(schema, text);
        container.reload(NAME);
    }

    /** Writes files, by name, into a directory. */
    static void write(Path folder, Map<String, String> files) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
    }

    /** Adds documents, replacing those with the same ids, and makes them visible. */
    void add(List<Document> documents) throws IOException, SolrServerException {
        List<SolrInputDocument> all = new ArrayList<>();
        for (Document document : byId(documents)) {
            SolrInputDocument one = new SolrInputDocument();
            document.fields().forEach(one::addField);
            all.add(one);
        }
        if (!all.isEmpty()) {
            server.add(all);
        }
        server.commit();
    }

    /** Merges its segments to one, so that no deleted document counts. */
    void optimize() throws IOException, SolrServerException {
        server.optimize();
    }

    /** Deletes documents, by their ids. */
    void delete(List<String> ids) throws IOException, SolrServerException {
        server.deleteById(ids);
        server.commit();
    }

    /** Returns the documents in the order of their ids. */
    static List<Document> byId(List<Document> documents) {
        return documents.stream()
                .sorted(Comparator.comparing(
                        document -> String.valueOf(document.fields().get("id")), CodePoints.ORDER))
                .toList();
    }

    /** Returns Solr's answer as JSON to a query in URL form. */
    String query(String text) {
        SolrParams asked = SolrRequestParsers.parseQueryString(ParameterTextEncoder.escaped(text));
        SolrQueryResponse response = new SolrQueryResponse();
        try (SolrCore core = container.getCore(NAME);
                SolrQueryRequest request = new LocalSolrQueryRequest(core, asked)) {
            String path = asked.get(CommonParams.QT, "/select");
            request.getContext().put(CommonParams.PATH, path);
            SolrRequestInfo.setRequestInfo(new SolrRequestInfo(request, response));
            core.execute(core.getRequestHandler(path), request, response);
            if (response.getException() != null) {
                throw new AssertionError(
                        "plain Solr refuses " + text + ": " + response.getException(), response.getException());
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            QueryResponseWriterUtil.writeQueryResponse(
                    out, core.getQueryResponseWriter(request), request, response, "");
            return out.toString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AssertionError(text, e);
        } finally {
            SolrRequestInfo.clearRequestInfo();
        }
    }

    @Override
    public void close() {
        container.shutdown();
    }
}
