/** {@code uniserve status}: servers, tables, actors and replicas with epochs, lag and load. */
@NullMarked
package io.uniserve.cli.status;

import org.jspecify.annotations.NullMarked;
