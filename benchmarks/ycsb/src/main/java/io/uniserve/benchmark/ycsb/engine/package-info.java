/** Engines without Uniserve, each in a process of its own: what {@code bench ycsb} compares ports with. */
@NullMarked
package io.uniserve.benchmark.ycsb.engine;

import org.jspecify.annotations.NullMarked;
