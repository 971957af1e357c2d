/** Facets over all shards: exact bucket counts, options of JSON facets, and texts ordered as Solr orders them. */
@NullMarked
package io.uniserve.port.solr.facet;

import org.jspecify.annotations.NullMarked;
