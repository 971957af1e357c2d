package io.uniserve.benchmark.solrcloud;

import io.uniserve.benchmark.peer.SearchPeer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.solr.client.solrj.SolrRequest;
import org.apache.solr.client.solrj.SolrServerException;
import org.apache.solr.client.solrj.impl.CloudHttp2SolrClient;
import org.apache.solr.client.solrj.impl.NoOpResponseParser;
import org.apache.solr.client.solrj.request.CollectionAdminRequest;
import org.apache.solr.client.solrj.request.QueryRequest;
import org.apache.solr.client.solrj.request.UpdateRequest;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.common.cloud.SolrZkClient;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.core.SolrCore;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * SolrCloud through SolrJ's cloud client, which reads the cluster's state from ZooKeeper and sends documents to the leaders of their
 * shards.
 */
public final class SolrCloudPeer implements SearchPeer {
    private static final String CONFIGSET = "bench";
    private static final String ROUTE = "_route_";

    private final CloudHttp2SolrClient client;

    private SolrCloudPeer(CloudHttp2SolrClient client) {
        this.client = client;
    }

    /** Named in META-INF/services. */
    public static final class Factory implements SearchPeer.Factory {
        @Override
        public SearchPeer connect(String zooKeeper) {
            uploadConfigset(zooKeeper);
            CloudHttp2SolrClient client =
                    new CloudHttp2SolrClient.Builder(List.of(zooKeeper), Optional.empty()).build();
            client.connect();
            return new SolrCloudPeer(client);
        }

        private static void uploadConfigset(String zooKeeper) {
            try (SolrZkClient zk = new SolrZkClient.Builder()
                    .withUrl(zooKeeper)
                    .withTimeout(30_000, TimeUnit.MILLISECONDS)
                    .build()) {
                for (String file : List.of("schema.xml", "solrconfig.xml")) {
                    try (InputStream in = SolrCloudPeer.class.getResourceAsStream("configset/" + file)) {
                        zk.makePath(
                                "/configs/" + CONFIGSET + "/" + file,
                                Objects.requireNonNull(in, file).readAllBytes(),
                                false,
                                true);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (KeeperException e) {
                throw new IllegalStateException("ZooKeeper does not take the configset", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        }
    }

    @Override
    public String name() {
        return "SolrCloud " + SolrCore.class.getPackage().getSpecificationVersion();
    }

    @Override
    public void create(String collection, int shards, boolean placed) {
        String names = IntStream.range(0, shards).mapToObj(SolrCloudPeer::shard).collect(Collectors.joining(","));
        send(
                placed
                        ? CollectionAdminRequest.createCollectionWithImplicitRouter(collection, CONFIGSET, names, 1)
                        : CollectionAdminRequest.createCollection(collection, CONFIGSET, shards, 1),
                null);
    }

    private static String shard(int number) {
        return "shard" + number;
    }

    @Override
    public void add(String collection, OptionalInt shard, List<? extends Map<String, ?>> documents) {
        UpdateRequest request = new UpdateRequest();
        for (Map<String, ?> fields : documents) {
            SolrInputDocument document = new SolrInputDocument();
            fields.forEach(document::addField);
            request.add(document);
        }
        shard.ifPresent(number -> request.setParam(ROUTE, shard(number)));
        send(request, collection);
    }

    @Override
    public void commit(String collection, boolean merge) {
        UpdateRequest request = new UpdateRequest();
        send(
                request.setAction(merge ? UpdateRequest.ACTION.OPTIMIZE : UpdateRequest.ACTION.COMMIT, true, true),
                collection);
    }

    @Override
    public void drop(String collection) {
        send(CollectionAdminRequest.deleteCollection(collection), null);
    }

    @Override
    public String query(String collection, String parameters) {
        return select(collection, params(parameters));
    }

    @Override
    public String query(String collection, int shard, String parameters) {
        ModifiableSolrParams params = params(parameters);
        params.set(ROUTE, shard(shard));
        return select(collection, params);
    }

    private static ModifiableSolrParams params(String parameters) {
        ModifiableSolrParams params = new ModifiableSolrParams();
        params.set("indent", "off");
        for (String pair : parameters.split("&")) {
            String[] parts = pair.split("=", 2);
            params.add(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return params;
    }

    private String select(String collection, ModifiableSolrParams params) {
        QueryRequest request = new QueryRequest(params);
        request.setResponseParser(new NoOpResponseParser("json"));
        return (String) send(request, collection).get("response");
    }

    private NamedList<Object> send(SolrRequest<?> request, @Nullable String collection) {
        try {
            return client.request(request, collection);
        } catch (SolrServerException e) {
            throw new IllegalStateException("SolrCloud failed: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
