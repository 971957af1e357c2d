/** Client state machines of atomic updates and of snapshot and strict reads (docs/protocol.md, sections 3 and 4). */
@NullMarked
package io.uniserve.protocol.client.transaction;

import org.jspecify.annotations.NullMarked;
