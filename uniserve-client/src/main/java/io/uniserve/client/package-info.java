/** The client that applications embed. */
@NullMarked
package io.uniserve.client;

import org.jspecify.annotations.NullMarked;
