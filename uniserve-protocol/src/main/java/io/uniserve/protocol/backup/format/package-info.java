/** Formats and object names in durable storage: checkpoint manifests, log runs, snapshots and their pins (docs/protocol.md, section 7). */
@NullMarked
package io.uniserve.protocol.backup.format;

import org.jspecify.annotations.NullMarked;
