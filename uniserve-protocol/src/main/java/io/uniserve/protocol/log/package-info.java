/**
 * The log of one replica on its server's disk: segments of checksummed entries, written by group commit. Entries that are truncated from
 * its end are saved. Every entry is checked when the log is opened. A torn tail of the last segment, as after a crash, is truncated. Any
 * other bad entry is damage: opening fails with CORRUPT, and the files stay as they are.
 */
@NullMarked
package io.uniserve.protocol.log;

import org.jspecify.annotations.NullMarked;
