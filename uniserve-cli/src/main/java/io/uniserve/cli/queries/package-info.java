/** {@code uniserve queries}: running queries of servers, and their cancellation. */
@NullMarked
package io.uniserve.cli.queries;

import org.jspecify.annotations.NullMarked;
