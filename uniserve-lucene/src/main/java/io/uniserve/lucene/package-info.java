/** What ports of engines that keep Lucene indexes share. */
@NullMarked
package io.uniserve.lucene;

import org.jspecify.annotations.NullMarked;
