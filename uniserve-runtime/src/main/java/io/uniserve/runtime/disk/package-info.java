/**
 * A server's data directory on a local file system: its identity and lock, and the files that the protocol reads and
 * writes.
 */
@NullMarked
package io.uniserve.runtime.disk;

import org.jspecify.annotations.NullMarked;
