/**
 * Queries in an engine's own language. The port's planner runs on a thread of its own pool. It reads actors through the same state
 * machines as a client, so retries, hedging and fail-over are the same. Reads of this server's own actors do not use the network.
 */
@NullMarked
package io.uniserve.server.query;

import org.jspecify.annotations.NullMarked;
