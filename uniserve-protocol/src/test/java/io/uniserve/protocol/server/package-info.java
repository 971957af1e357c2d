/** Tests of the server's machine with real coordinators around one registry, in virtual time. */
@NullMarked
package io.uniserve.protocol.server;

import org.jspecify.annotations.NullMarked;
