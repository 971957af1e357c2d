/**
 * Durable storage of immutable objects, shared by the cluster: the interface for kinds of storage, and a local or mounted directory
 * as the first kind.
 */
@NullMarked
package io.uniserve.runtime.store;

import org.jspecify.annotations.NullMarked;
