/** Typed, bounded binary codecs for what travels: parameters, rows and partial results. Never Java serialization. */
@NullMarked
package io.uniserve.codec;

import org.jspecify.annotations.NullMarked;
