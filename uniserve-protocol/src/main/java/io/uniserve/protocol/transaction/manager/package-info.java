/** The transaction manager of a table: versions, prepares, decisions and the table's transaction log (docs/protocol.md, section 3). */
@NullMarked
package io.uniserve.protocol.transaction.manager;

import org.jspecify.annotations.NullMarked;
