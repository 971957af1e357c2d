/** The only exception type of Uniserve and its stable error codes. */
@NullMarked
package io.uniserve.error;

import org.jspecify.annotations.NullMarked;
