/** {@code uniserve scaler}: state, reasons and holds of the auto-scaler. */
@NullMarked
package io.uniserve.cli.scaler;

import org.jspecify.annotations.NullMarked;
