/** Apache Solr as a port: one embedded core an actor. */
@NullMarked
package io.uniserve.port.solr;

import org.jspecify.annotations.NullMarked;
