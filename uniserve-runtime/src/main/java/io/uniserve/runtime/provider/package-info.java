/** Providers of servers whose calls block, and their adapter to the coordinator's loop; sources of notices that a machine goes. */
@NullMarked
package io.uniserve.runtime.provider;

import org.jspecify.annotations.NullMarked;
