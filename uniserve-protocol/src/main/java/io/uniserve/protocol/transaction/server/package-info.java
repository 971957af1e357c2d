/** The server's part of transactions: resolution of versions in doubt, staged rows and snapshots (docs/protocol.md, sections 3 and 4). */
@NullMarked
package io.uniserve.protocol.transaction.server;

import org.jspecify.annotations.NullMarked;
