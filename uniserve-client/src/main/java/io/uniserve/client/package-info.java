/**
 * What an application embeds to use a Uniserve cluster. Start at {@link io.uniserve.client.UniserveClient}: it is built with
 * a few bootstrap addresses, learns the routing map, and then talks to the servers that hold the data. Neither ZooKeeper nor
 * an engine is on its class path.
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
