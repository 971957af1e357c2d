/** Continuous backup of an actor by its primary: log runs, checkpoints, pins and clean-up (docs/protocol.md, section 7). */
@NullMarked
package io.uniserve.protocol.backup.ship;

import org.jspecify.annotations.NullMarked;
