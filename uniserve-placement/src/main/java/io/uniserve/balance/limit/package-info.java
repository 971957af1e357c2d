/** Limits of placement. */
@NullMarked
package io.uniserve.balance.limit;

import org.jspecify.annotations.NullMarked;
