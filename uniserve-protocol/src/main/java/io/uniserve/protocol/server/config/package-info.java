/** Configuration of a server's machine and the handler of fatal errors. */
@NullMarked
package io.uniserve.protocol.server.config;

import org.jspecify.annotations.NullMarked;
