/** Identity of server and cluster: admission, registration, and guards against a wrong or lost registry (docs/protocol.md, section 1). */
@NullMarked
package io.uniserve.protocol.server.identity;

import org.jspecify.annotations.NullMarked;
