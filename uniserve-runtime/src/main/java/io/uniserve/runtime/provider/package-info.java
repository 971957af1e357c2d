/** Providers of servers whose calls block, and their adapter to the coordinator's loop. */
@NullMarked
package io.uniserve.runtime.provider;

import org.jspecify.annotations.NullMarked;
