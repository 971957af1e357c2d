/**
 * Updates: how rows change an actor. A port implements {@link io.uniserve.api.update.EventualUpdate}, or
 * {@link io.uniserve.api.update.AtomicUpdate} for tables with atomic updates.
 */
@NullMarked
package io.uniserve.api.update;

import org.jspecify.annotations.NullMarked;
