/** Facets over all shards: exact bucket counts, options of JSON facets, and texts in the order of Solr. */
@NullMarked
package io.uniserve.port.solr.facet;

import org.jspecify.annotations.NullMarked;
