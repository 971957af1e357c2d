/**
 * SolrCloud as the peer of {@code uniserve bench text}: a node as a process of its own, and SolrJ behind the interface that
 * the benchmark sees. A distribution folder of its own, on no class path of Uniserve.
 */
@NullMarked
package io.uniserve.benchmark.solrcloud;

import org.jspecify.annotations.NullMarked;
