/**
 * Client library for applications. Start at {@link io.uniserve.client.UniserveClient}: it gets the routing map from one of a few
 * bootstrap addresses, and then sends requests to the servers with the data. It needs neither ZooKeeper nor an engine on the class
 * path.
 *
 * <pre>{@code
 * try (UniserveClient client = UniserveClient.builder().bootstrap("host1:7000", "host2:7000").build()) {
 *     client.admin().createTable(TableSpec.named("words").port("kv").hash(16).replicas(2));
 *     client.table("words").updateDocuments("kv.put@1", List.of(Map.of("id", "dog", "legs", 4L))).run().orThrow();
 *     System.out.println(client.query("words", "get dog").body().utf8());
 * }
 * }</pre>
 */
@NullMarked
package io.uniserve.client;

import org.jspecify.annotations.NullMarked;
