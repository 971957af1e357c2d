/** Tests of the log. */
@NullMarked
package io.uniserve.protocol.log;

import org.jspecify.annotations.NullMarked;
