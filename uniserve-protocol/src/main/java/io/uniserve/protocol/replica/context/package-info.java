/** Context of a replica: access to its server, configuration and health. */
@NullMarked
package io.uniserve.protocol.replica.context;

import org.jspecify.annotations.NullMarked;
