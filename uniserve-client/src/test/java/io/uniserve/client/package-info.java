/** Tests of the client against servers that a test scripts, over real sockets. */
@NullMarked
package io.uniserve.client;

import org.jspecify.annotations.NullMarked;
