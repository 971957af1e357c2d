/** {@code uniserve dev, zookeeper, coordinator} and {@code server}: daemons in the foreground of this process. */
@NullMarked
package io.uniserve.cli.daemon;

import org.jspecify.annotations.NullMarked;
