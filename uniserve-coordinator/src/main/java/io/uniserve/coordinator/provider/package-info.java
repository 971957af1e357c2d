/** Providers of servers for the auto-scaler. */
@NullMarked
package io.uniserve.coordinator.provider;

import org.jspecify.annotations.NullMarked;
