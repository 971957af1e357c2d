/** Check of the rights of callers: every method and every kind of request with every kind of caller. */
@NullMarked
package io.uniserve.runtime.transport.check;

import org.jspecify.annotations.NullMarked;
