package io.uniserve.cli.bench.text;

import io.uniserve.api.Document;
import io.uniserve.benchmark.peer.SearchPeer;
import io.uniserve.benchmark.text.SolrCloud;
import io.uniserve.testkit.process.JavaLauncher;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/**
 * Oracle: one node of Apache Solr, the benchmark's peer, with one core per collection. It gets queries unchanged. Documents are added in
 * the order of their ids, so that equal documents have the same index order as in the port.
 */
public final class PlainSolr implements AutoCloseable {
    private static final String CONFIGSET = "/configs/bench/";
    private static final String SCHEMA = "schema.xml";
    private static final int RETRY_MS = 1_000;

    private final SolrCloud node;
    private final SearchPeer client;

    /** Starts Solr with its files in this directory. */
    public PlainSolr(Path directory) throws IOException {
        Path jars = JavaLauncher.ofThisProcess().home().resolve(Path.of("peers", "solrcloud", "lib"));
        node = new SolrCloud(Files.createDirectories(directory), jars);
        try {
            client = node.start(1, "-Xmx512m");
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    /** Creates a core with these documents and makes them visible. */
    public void load(String collection, List<Document> documents) {
        client.create(collection, 1, false);
        client.add(
                collection,
                OptionalInt.empty(),
                documents.stream()
                        .map(Document::fields)
                        .sorted(Comparator.comparing(fields -> String.valueOf(fields.get("id"))))
                        .toList());
        client.commit(collection, true);
    }

    /** Same as {@link #load(String, List)}, with a schema.xml and the files that it names, as texts by name. */
    public void load(String collection, Map<String, String> configset, List<Document> documents) throws Exception {
        try (CuratorFramework zooKeeper =
                CuratorFrameworkFactory.newClient(node.zooKeeper(), new RetryOneTime(RETRY_MS))) {
            zooKeeper.start();
            byte[] schema = zooKeeper.getData().forPath(CONFIGSET + SCHEMA);
            for (Map.Entry<String, String> file : configset.entrySet()) {
                zooKeeper
                        .create()
                        .orSetData()
                        .creatingParentsIfNeeded()
                        .forPath(CONFIGSET + file.getKey(), versioned(file.getValue()));
            }
            load(collection, documents);
            zooKeeper.setData().forPath(CONFIGSET + SCHEMA, schema);
        }
    }

    /** Adds a field that a node's update log needs, if the schema lacks it. */
    private static byte[] versioned(String file) {
        if (file.contains("name=\"_version_\"")) {
            return file.getBytes(StandardCharsets.UTF_8);
        }
        String field = "<field name=\"_version_\" type=\"plong\" indexed=\"false\" stored=\"false\"/>";
        return file.replace("</schema>", field + "</schema>").getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the core's own answer, as JSON. */
    public String query(String collection, String query) {
        String others = query.isEmpty() ? "" : query + "&";
        return client.query(collection, others + "qt=/plain&distrib=false");
    }

    @Override
    public void close() {
        client.close();
        node.close();
    }
}
