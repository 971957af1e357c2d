/** Queries as Solr has them: supported syntax, limits, planning cores, and requests to shards. */
@NullMarked
package io.uniserve.port.solr.query;

import org.jspecify.annotations.NullMarked;
