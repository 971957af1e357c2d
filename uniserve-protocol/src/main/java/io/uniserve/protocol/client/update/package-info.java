/** Client state machines of eventual updates: attempts, retries and their outcome (docs/protocol.md, section 3). */
@NullMarked
package io.uniserve.protocol.client.update;

import org.jspecify.annotations.NullMarked;
