/**
 * The log of one replica on its server's disk: segments of checksummed entries, written by group commit, cut only with the
 * cut entries saved, and checked entry by entry when it is opened. A torn tail of the last segment is what a crash leaves
 * and is cut; anything else that does not check is damage, and the log is refused (CORRUPT) with its files left alone.
 */
@NullMarked
package io.uniserve.protocol.log;

import org.jspecify.annotations.NullMarked;
