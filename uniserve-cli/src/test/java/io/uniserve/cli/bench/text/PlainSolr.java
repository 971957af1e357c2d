package io.uniserve.cli.bench.text;

import io.uniserve.api.Document;
import io.uniserve.benchmark.peer.SearchPeer;
import io.uniserve.cli.process.JavaLauncher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;

/**
 * Apache Solr by itself, a node of the benchmark's peer, as an oracle: each collection is one core, which gets queries as they
 * are. Documents are added in the order of their ids, so that where Solr leaves the order of equal documents to the index, it
 * is the port's.
 */
public final class PlainSolr implements AutoCloseable {
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

    /** The core's own answer, as JSON. */
    public String query(String collection, String query) {
        return client.query(collection, query + "&qt=/plain&distrib=false");
    }

    @Override
    public void close() {
        client.close();
        node.close();
    }
}
