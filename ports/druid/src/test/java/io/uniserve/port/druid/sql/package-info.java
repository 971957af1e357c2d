/** Tests of Druid SQL on a cluster. */
@NullMarked
package io.uniserve.port.druid.sql;

import org.jspecify.annotations.NullMarked;
