/** Application of log entries to the engine: order, recovery, transactions and poison entries (docs/protocol.md, sections 2 and 3). */
@NullMarked
package io.uniserve.protocol.replica.engine;

import org.jspecify.annotations.NullMarked;
