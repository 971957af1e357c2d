/** Messages between clients and servers: reads, updates and their replies. */
@NullMarked
package io.uniserve.protocol.message.client;

import org.jspecify.annotations.NullMarked;
