/** Server side of plans with scatters: the exchange's state machine on its own loop, and its interface for workers. */
@NullMarked
package io.uniserve.server.exchange;

import org.jspecify.annotations.NullMarked;
