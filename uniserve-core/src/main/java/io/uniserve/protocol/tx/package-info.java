/**
 * Atomic updates of many actors, and reads of one version of them (docs/protocol.md, sections 3 and 4): the steps of a table's log in
 * the registry, the driver on a server, the settling of doubts, and the client's machines.
 */
@NullMarked
package io.uniserve.protocol.tx;

import org.jspecify.annotations.NullMarked;
