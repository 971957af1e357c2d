/** What the author of a port implements: an engine, its actors and how they are made, saved and restored. */
@NullMarked
package io.uniserve.api;

import org.jspecify.annotations.NullMarked;
