/** Log runs of many actors in one object of durable storage, for stores whose requests cost. */
@NullMarked
package io.uniserve.protocol.backup.batch;

import org.jspecify.annotations.NullMarked;
