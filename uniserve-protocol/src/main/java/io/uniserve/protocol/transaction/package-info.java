/** Rules that all roles of a transaction share: transitions of the transaction log, commit visibility and configuration (docs/protocol.md, section 3). */
@NullMarked
package io.uniserve.protocol.transaction;

import org.jspecify.annotations.NullMarked;
