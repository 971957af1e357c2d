/**
 * Named backups of whole tables: their content, and a server's part in taking, listing, verifying, restoring and deleting them. A backup
 * copies nothing: it pins objects of the actors' continuous backups.
 */
@NullMarked
package io.uniserve.protocol.archive;

import org.jspecify.annotations.NullMarked;
