/** Ports as folders of jars, each behind a class loader of its own. */
@NullMarked
package io.uniserve.runtime.port;

import org.jspecify.annotations.NullMarked;
