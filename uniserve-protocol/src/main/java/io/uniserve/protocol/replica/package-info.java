/** One replica on a server: its role, its life cycle and the admission of requests (docs/protocol.md, sections 2 and 3). */
@NullMarked
package io.uniserve.protocol.replica;

import org.jspecify.annotations.NullMarked;
