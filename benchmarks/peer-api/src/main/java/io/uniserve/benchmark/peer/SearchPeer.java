package io.uniserve.benchmark.peer;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Search cluster that Uniserve is compared with, through its public client library. Thread-safe. Failures are unchecked exceptions of that
 * library.
 */
public interface SearchPeer extends AutoCloseable {
    /** Returns the system and its version, e.g. {@code SolrCloud 9.10.1}. */
    String name();

    /**
     * Creates a collection with one replica per shard, spread over the nodes.
     *
     * @param placed true if the caller names the shard of every document; false if the peer distributes documents by a hash of their id
     */
    void create(String collection, int shards, boolean placed);

    /**
     * Adds documents, replacing those with the same id; they are acknowledged on return.
     *
     * @param shard their shard in a {@code placed} collection, 0 to shards - 1; otherwise empty
     */
    void add(String collection, OptionalInt shard, List<? extends Map<String, ?>> documents);

    /** Makes all documents added so far visible to queries; with {@code merge} each index is also merged to one segment. */
    void commit(String collection, boolean merge);

    /** Returns the answer of a query as unparsed JSON. The parameters are the peer's own, {@code name=value&...} with URL escapes. */
    String query(String collection, String parameters);

    /** Queries one shard only; otherwise like {@link #query}. */
    String query(String collection, int shard, String parameters);

    /** Deletes a collection. */
    void drop(String collection);

    @Override
    void close();

    /** Factory for connections to a running cluster, found by {@link java.util.ServiceLoader}. */
    interface Factory {
        /** Connects to the cluster that has its state in this ZooKeeper, {@code host:port}. */
        SearchPeer connect(String zooKeeper);
    }
}
