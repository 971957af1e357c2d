/** Loading of ports from directories of jars, each with its own class loader. */
@NullMarked
package io.uniserve.runtime.port;

import org.jspecify.annotations.NullMarked;
