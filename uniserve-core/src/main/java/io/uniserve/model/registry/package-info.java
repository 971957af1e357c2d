/** Records that the registry holds, and the routing that is made of them. */
@NullMarked
package io.uniserve.model.registry;

import org.jspecify.annotations.NullMarked;
