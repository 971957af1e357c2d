/** Catalog of policies by name. */
@NullMarked
package io.uniserve.placement.catalog;

import org.jspecify.annotations.NullMarked;
