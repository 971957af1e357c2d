/**
 * Atomic updates of many actors, and reads of one version of them (docs/protocol.md, sections 3 and 4): transitions of the transaction log,
 * the transaction manager, the resolution of versions in doubt, and the client's state machines.
 */
@NullMarked
package io.uniserve.protocol.tx;

import org.jspecify.annotations.NullMarked;
