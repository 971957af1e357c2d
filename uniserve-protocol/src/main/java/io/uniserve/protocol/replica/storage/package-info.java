/** Files of a replica: state file, checkpoints, recovery point and retention (docs/protocol.md, section 2). */
@NullMarked
package io.uniserve.protocol.replica.storage;

import org.jspecify.annotations.NullMarked;
