/** Data directory of a server on a local file system: its identity and lock, and the protocol's files. */
@NullMarked
package io.uniserve.runtime.disk;

import org.jspecify.annotations.NullMarked;
