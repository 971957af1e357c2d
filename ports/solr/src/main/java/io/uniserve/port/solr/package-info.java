/** Port of Apache Solr: one embedded core per actor. Solr's own distributed components run over the actors as shards. */
@NullMarked
package io.uniserve.port.solr;

import org.jspecify.annotations.NullMarked;
