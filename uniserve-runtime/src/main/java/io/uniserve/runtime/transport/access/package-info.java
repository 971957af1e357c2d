/** Rights of callers: what each request needs, and what each caller may do. */
@NullMarked
package io.uniserve.runtime.transport.access;

import org.jspecify.annotations.NullMarked;
