/** Tests of completions and outcomes. */
@NullMarked
package io.uniserve.protocol.env;

import org.jspecify.annotations.NullMarked;
