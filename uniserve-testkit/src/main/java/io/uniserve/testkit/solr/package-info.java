/**
 * Tools for tests of Solr's language: documents, generated queries, and the comparison of whole answers. Tests of the port in one process
 * and tests of a cluster of processes use them.
 */
@NullMarked
package io.uniserve.testkit.solr;

import org.jspecify.annotations.NullMarked;
