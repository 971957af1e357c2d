/** Replication from the primary to followers and learners, transfer of the primary and comparison of copies (docs/protocol.md, section 2). */
@NullMarked
package io.uniserve.protocol.replica.replication;

import org.jspecify.annotations.NullMarked;
