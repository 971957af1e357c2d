/**
 * SolrCloud as the peer of {@code uniserve bench text}: each node is a process, and SolrJ implements the benchmark's interface. Its jars
 * have a distribution folder of their own, and are on no class path of Uniserve.
 */
@NullMarked
package io.uniserve.benchmark.solrcloud;

import org.jspecify.annotations.NullMarked;
