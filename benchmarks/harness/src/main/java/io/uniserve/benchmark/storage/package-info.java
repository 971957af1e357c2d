/** {@code uniserve bench storage}: durable storage in a directory and in a bucket. */
@NullMarked
package io.uniserve.benchmark.storage;

import org.jspecify.annotations.NullMarked;
