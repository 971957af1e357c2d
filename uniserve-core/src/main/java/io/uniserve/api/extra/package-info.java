/**
 * Parts of the port API for special cases.
 */
@NullMarked
package io.uniserve.api.extra;

import org.jspecify.annotations.NullMarked;
