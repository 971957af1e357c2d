/** Moving replicas from server to server, by hand. */
@NullMarked
package io.uniserve.cli.move;

import org.jspecify.annotations.NullMarked;
