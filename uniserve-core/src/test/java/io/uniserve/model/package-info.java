/** Tests of the values that daemons and clients exchange. */
@NullMarked
package io.uniserve.model;

import org.jspecify.annotations.NullMarked;
