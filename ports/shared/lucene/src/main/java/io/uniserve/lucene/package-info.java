/** Shared code of ports with Lucene indexes. */
@NullMarked
package io.uniserve.lucene;

import org.jspecify.annotations.NullMarked;
