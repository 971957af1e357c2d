/** What a benchmark needs of a system that Uniserve is measured against; the system's own client comes behind a class loader. */
@NullMarked
package io.uniserve.benchmark.peer;

import org.jspecify.annotations.NullMarked;
