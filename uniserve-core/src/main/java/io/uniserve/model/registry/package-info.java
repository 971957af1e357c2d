/** Records in the registry, and the routing that is derived from them. */
@NullMarked
package io.uniserve.model.registry;

import org.jspecify.annotations.NullMarked;
