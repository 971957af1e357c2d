/** Typed, bounded binary codecs for parameters, rows and partial results in messages. Never Java serialization. */
@NullMarked
package io.uniserve.codec;

import org.jspecify.annotations.NullMarked;
