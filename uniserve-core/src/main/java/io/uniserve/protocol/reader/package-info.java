/**
 * Reads: the gate a replica checks before and after it answers, and the client's machines that spread a query or an update
 * over replicas, retry and hedge (docs/protocol.md, section 4).
 */
@NullMarked
package io.uniserve.protocol.reader;

import org.jspecify.annotations.NullMarked;
