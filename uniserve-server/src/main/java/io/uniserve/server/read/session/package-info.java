/** Snapshots of actors that a session of reads keeps, and actors pinned while they are read. */
@NullMarked
package io.uniserve.server.read.session;

import org.jspecify.annotations.NullMarked;
