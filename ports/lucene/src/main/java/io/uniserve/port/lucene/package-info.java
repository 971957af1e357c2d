/**
 * Apache Lucene as a port: one index an actor, with phrase and vector search. The example of
 * {@code docs/manual/write-a-port.md}, which shows these lines.
 */
@NullMarked
package io.uniserve.port.lucene;

import org.jspecify.annotations.NullMarked;
