/** Server daemon, which hosts actors. */
@NullMarked
package io.uniserve.server;

import org.jspecify.annotations.NullMarked;
