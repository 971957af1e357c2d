package io.uniserve.benchmark.text;

import io.uniserve.api.Document;
import io.uniserve.benchmark.balance.BalancingCluster;
import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Uniserve as a cluster of processes with the Solr port. Not thread-safe, except for queries and documents. */
final class UniserveTextCluster implements AutoCloseable {
    private static final long IN_SYNC_TIMEOUT_MS = 120_000;
    private static final Duration DEADLINE = Duration.ofMinutes(10);

    private final BalancingCluster cluster;
    private final UniserveClient client;

    /** Starts ZooKeeper, a coordinator and servers, and connects. */
    UniserveTextCluster(Path directory, int servers, String heap) {
        cluster = new BalancingCluster(
                ProcessClusterOptions.of(directory, servers, "solr").withHeap(heap), DEADLINE);
        client = cluster.client();
    }

    /** Returns the servers' processes, without ZooKeeper and coordinator. */
    List<Long> serverPids() {
        return cluster.serverPids();
    }

    /** Creates a table and waits until all replicas of all actors are in sync. */
    void create(String table, int actors, int replicas) {
        client.admin()
                .createTable(TableSpec.named(table).port("solr").hash(actors).replicas(replicas));
        awaitInSync(table, actor -> actor.isr().size() == replicas);
    }

    /** Gives one actor of a table this many replicas and waits until all are in sync. */
    void replicate(String table, int actor, int copies) {
        client.admin().replicateActor(table, actor, copies);
        awaitInSync(table, state -> state.actor() != actor || state.isr().size() == copies);
    }

    private void awaitInSync(String table, Predicate<ActorState> inSync) {
        boolean all = ConditionWaiter.await(
                SystemClock.INSTANCE::nanos,
                IN_SYNC_TIMEOUT_MS,
                () -> client.admin().describeTable(table).map().actors().stream()
                        .allMatch(inSync));
        if (!all) {
            throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "replicas of table " + table + " are not in sync");
        }
    }

    void drop(String table) {
        client.admin().dropTable(table);
    }

    /**
     * Stores documents, replacing those with the same id. They are acknowledged and visible on return. The documents of one call become one
     * segment per index, or a few if they exceed Solr's buffer.
     */
    void add(String table, List<Document> documents) {
        table(table).update("solr.add@1", Document.CODEC, documents).run().orThrow();
    }

    /** Merges each index to one segment before it returns. */
    void optimize(String table) {
        table(table)
                .update("solr.optimize@1", Document.CODEC, List.of(new Document("id", Map.of())))
                .everywhere()
                .run()
                .orThrow();
    }

    /** Answers a query as unparsed JSON. */
    String query(String table, String parameters) {
        return client.query(table, parameters).body().utf8();
    }

    /** Answers a query on the actor of this key only. */
    String query(String table, String key, String parameters) {
        return table(table).key(key).query(parameters).body().utf8();
    }

    private ClientTable table(String name) {
        return client.table(name);
    }

    @Override
    public void close() {
        cluster.close();
    }
}
