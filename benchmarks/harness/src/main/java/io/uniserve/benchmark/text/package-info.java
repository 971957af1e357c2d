/** {@code uniserve bench text}: the Solr port against SolrCloud on the same documents and shards, each node a process. */
@NullMarked
package io.uniserve.benchmark.text;

import org.jspecify.annotations.NullMarked;
