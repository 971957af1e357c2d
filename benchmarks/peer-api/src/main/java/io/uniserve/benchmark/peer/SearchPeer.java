package io.uniserve.benchmark.peer;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A search cluster that Uniserve is measured against, through the client library that its users have. Safe for use by
 * several threads. What fails comes out as an unchecked exception of that library's.
 */
public interface SearchPeer extends AutoCloseable {
    /** The system and its version, e.g. {@code SolrCloud 9.10.1}. */
    String name();

    /**
     * Makes a collection with one replica a shard, spread over the nodes.
     *
     * @param placed true where every document is added to a shard that the caller names; false where the peer spreads
     *     documents by a hash of their id
     */
    void create(String collection, int shards, boolean placed);

    /**
     * Adds documents, replacing those with the same id; acknowledged on return.
     *
     * @param shard where they go in a collection that was made {@code placed}, 0 to shards - 1; else empty
     */
    void add(String collection, OptionalInt shard, List<? extends Map<String, ?>> documents);

    /** Makes all documents added so far visible to queries; with {@code merge} also one segment of each index. */
    void commit(String collection, boolean merge);

    /** Answers a query in the peer's own parameters, {@code name=value&...} with URL escapes; JSON, not parsed. */
    String query(String collection, String parameters);

    /** As {@link #query}, of one shard alone. */
    String query(String collection, int shard, String parameters);

    /** Deletes a collection. */
    void drop(String collection);

    @Override
    void close();

    /** Connects to a running cluster; found by {@link java.util.ServiceLoader}. */
    interface Factory {
        /** Connects to the cluster that has its state in this ZooKeeper, {@code host:port}. */
        SearchPeer connect(String zooKeeper);
    }
}
