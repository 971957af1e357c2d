/**
 * Configuration of processes. {@code reference.conf} is both manual and schema: it has every option with its unit and default. An
 * unknown key is rejected with a suggestion of the nearest one. Settings are immutable records, validated when they are read.
 */
@NullMarked
package io.uniserve.runtime.config;

import org.jspecify.annotations.NullMarked;
