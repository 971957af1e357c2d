/**
 * Apache Solr as a port: one embedded core an actor. Queries are Solr's own; its distributed components run where a query
 * is planned, over a shard handler whose shards are the actors, so that phases and merges are SolrCloud's.
 */
@NullMarked
package io.uniserve.port.solr;

import org.jspecify.annotations.NullMarked;
