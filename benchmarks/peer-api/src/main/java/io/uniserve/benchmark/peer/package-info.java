/** Interfaces to the systems that Uniserve is compared with. A class loader isolates the client library of each system. */
@NullMarked
package io.uniserve.benchmark.peer;

import org.jspecify.annotations.NullMarked;
