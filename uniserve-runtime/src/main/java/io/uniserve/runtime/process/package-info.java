/** Process of a daemon: handling of stop signals. */
@NullMarked
package io.uniserve.runtime.process;

import org.jspecify.annotations.NullMarked;
