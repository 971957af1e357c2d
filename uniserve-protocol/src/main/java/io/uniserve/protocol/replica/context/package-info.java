/** What a replica needs of its server, its configuration and its health. */
@NullMarked
package io.uniserve.protocol.replica.context;

import org.jspecify.annotations.NullMarked;
