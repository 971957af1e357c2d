/**
 * Port of Apache Lucene: one index per actor, with phrase and vector search. It is the example of {@code docs/manual/write-a-port.md},
 * which quotes this code.
 */
@NullMarked
package io.uniserve.port.lucene;

import org.jspecify.annotations.NullMarked;
