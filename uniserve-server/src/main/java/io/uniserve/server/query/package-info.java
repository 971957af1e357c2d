/**
 * Queries in an engine's own language: the port's planner runs here, on a thread of its own pool, and asks actors through the
 * very machines a client uses, so that retries, hedging and fail-over are the same. Reads of this server's own actors do not
 * go through the network.
 */
@NullMarked
package io.uniserve.server.query;

import org.jspecify.annotations.NullMarked;
