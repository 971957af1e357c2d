/**
 * Durable storage of immutable objects, shared by the cluster: the seam where kinds of storage plug in, and a local or
 * mounted directory as the first kind.
 */
@NullMarked
package io.uniserve.runtime.store;

import org.jspecify.annotations.NullMarked;
