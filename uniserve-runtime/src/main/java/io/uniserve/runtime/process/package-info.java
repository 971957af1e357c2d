/** The process around a daemon: how it is asked to stop. */
@NullMarked
package io.uniserve.runtime.process;

import org.jspecify.annotations.NullMarked;
