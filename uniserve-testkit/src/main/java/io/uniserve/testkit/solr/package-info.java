/**
 * For tests of Solr's language: documents, generated queries about them, and the comparison of whole answers. Used where the
 * port is tested in one process, and where a cluster of processes is.
 */
@NullMarked
package io.uniserve.testkit.solr;

import org.jspecify.annotations.NullMarked;
