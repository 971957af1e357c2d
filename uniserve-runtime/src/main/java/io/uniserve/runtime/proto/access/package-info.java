/** Mapping of the rules of users. */
@NullMarked
package io.uniserve.runtime.proto.access;

import org.jspecify.annotations.NullMarked;
