/** Bindings of YCSB: {@link io.uniserve.benchmark.ycsb.binding.UniserveYcsbClient} and that of the bare engines. */
@NullMarked
package io.uniserve.benchmark.ycsb.binding;

import org.jspecify.annotations.NullMarked;
