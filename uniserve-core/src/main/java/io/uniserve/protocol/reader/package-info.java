/**
 * State machines of a client's reads and updates: they distribute a query or an update over replicas, retry and hedge (docs/protocol.md,
 * sections 3 and 4).
 */
@NullMarked
package io.uniserve.protocol.reader;

import org.jspecify.annotations.NullMarked;
