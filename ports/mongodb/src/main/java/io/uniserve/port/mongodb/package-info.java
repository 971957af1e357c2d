/** Port for MongoDB: a collection per actor, commands as Extended JSON. */
@NullMarked
package io.uniserve.port.mongodb;

import org.jspecify.annotations.NullMarked;
