/** The server: the daemon that hosts actors. */
@NullMarked
package io.uniserve.server;

import org.jspecify.annotations.NullMarked;
