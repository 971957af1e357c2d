/** Shared code of ports whose engines keep Lucene indexes. */
@NullMarked
package io.uniserve.lucene;

import org.jspecify.annotations.NullMarked;
