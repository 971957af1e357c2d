/** Queries in Solr's language: supported syntax, limits, planning cores, and requests to shards. */
@NullMarked
package io.uniserve.port.solr.query;

import org.jspecify.annotations.NullMarked;
