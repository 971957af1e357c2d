/** Named backups of a table: list, verification and service of the server that holds the durable store (docs/protocol.md, section 7). */
@NullMarked
package io.uniserve.protocol.backup.archive;

import org.jspecify.annotations.NullMarked;
