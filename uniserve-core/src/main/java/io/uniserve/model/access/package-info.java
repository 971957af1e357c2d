/** Roles of users and the rules that grant them. */
@NullMarked
package io.uniserve.model.access;

import org.jspecify.annotations.NullMarked;
