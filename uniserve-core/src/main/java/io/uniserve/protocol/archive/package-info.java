/**
 * Named backups of whole tables: what they consist of, and a server's part in taking, listing, checking, restoring and
 * deleting them. A backup copies nothing: it pins objects of the actors' continuous backups.
 */
@NullMarked
package io.uniserve.protocol.archive;

import org.jspecify.annotations.NullMarked;
