/** Auto-scaler of the leader: it adds and removes servers through a provider. */
@NullMarked
package io.uniserve.protocol.coordinator.scaling;

import org.jspecify.annotations.NullMarked;
