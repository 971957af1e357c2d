/** Process of a daemon: handling of stop signals, closing of its resources. */
@NullMarked
package io.uniserve.runtime.process;

import org.jspecify.annotations.NullMarked;
