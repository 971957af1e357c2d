/** Commands about durable storage: {@code uniserve storage}. */
@NullMarked
package io.uniserve.cli.storage;

import org.jspecify.annotations.NullMarked;
