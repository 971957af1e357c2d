/** Native queries: planners run the code of Druid's broker, and actors that of its data nodes. */
@NullMarked
package io.uniserve.port.druid.query;

import org.jspecify.annotations.NullMarked;
