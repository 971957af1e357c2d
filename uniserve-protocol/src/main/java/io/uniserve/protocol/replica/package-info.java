/** One replica on a server: its role, its life cycle and the admission of requests (docs/protocol.md, sections 1 and 2). */
@NullMarked
package io.uniserve.protocol.replica;

import org.jspecify.annotations.NullMarked;
