/** Catalog of policies by name. */
@NullMarked
package io.uniserve.balance.catalog;

import org.jspecify.annotations.NullMarked;
