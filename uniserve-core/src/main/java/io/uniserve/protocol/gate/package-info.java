/**
 * What a replica may answer from: gates that a server's loop publishes and its read workers check without the loop
 * (docs/protocol.md, section 4).
 */
@NullMarked
package io.uniserve.protocol.gate;

import org.jspecify.annotations.NullMarked;
