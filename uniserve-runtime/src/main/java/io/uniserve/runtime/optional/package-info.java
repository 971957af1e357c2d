/** Services in jars that only some processes load. */
@NullMarked
package io.uniserve.runtime.optional;

import org.jspecify.annotations.NullMarked;
