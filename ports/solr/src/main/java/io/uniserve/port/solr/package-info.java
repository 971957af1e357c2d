/** Apache Solr as a port: one embedded core an actor. Its own distributed components run over the actors as shards. */
@NullMarked
package io.uniserve.port.solr;

import org.jspecify.annotations.NullMarked;
