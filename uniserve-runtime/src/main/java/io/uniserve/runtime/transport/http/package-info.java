/** HTTP listener of a process for metrics and health checks: its routes, and who gets which. */
@NullMarked
package io.uniserve.runtime.transport.http;

import org.jspecify.annotations.NullMarked;
