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
 * Apache Solr by itself, a node of the benchmark's peer, as an oracle: each collection is one core, which gets queries as they
 * are. Documents are added in the order of their ids, so that where Solr leaves the order of equal documents to the index, it
 * is the port's.
 */
public final class PlainSolr implements AutoCloseable {
    private static final String CONFIGSET = "/configs/bench/";
    private static final String SCHEMA = "schema.xml";
    private static final int RETRY_MS = 1_000;

    private final SolrCloud node;
    private final SearchPeer client;

    /** Starts it, with its files in this folder. */
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

    /** A core with these documents, which it shows. */
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

    /** As {@link #load(String, List)}, with a schema.xml of its own and the files that it names, texts by their names. */
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

    /** A node's update log wants a field that a schema for one core by itself may lack. */
    private static byte[] versioned(String file) {
        if (file.contains("name=\"_version_\"")) {
            return file.getBytes(StandardCharsets.UTF_8);
        }
        String field = "<field name=\"_version_\" type=\"plong\" indexed=\"false\" stored=\"false\"/>";
        return file.replace("</schema>", field + "</schema>").getBytes(StandardCharsets.UTF_8);
    }

    /** The core's own answer, as JSON. */
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
