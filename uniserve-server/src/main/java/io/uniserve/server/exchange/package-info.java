/** A server's part in plans with scatters: the state machine on its own loop, as workers see it. */
@NullMarked
package io.uniserve.server.exchange;

import org.jspecify.annotations.NullMarked;
