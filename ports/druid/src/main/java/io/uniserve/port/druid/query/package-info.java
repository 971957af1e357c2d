/** Native queries: what Druid's broker does on the planning side, and what its data nodes do beside an actor. */
@NullMarked
package io.uniserve.port.druid.query;

import org.jspecify.annotations.NullMarked;
