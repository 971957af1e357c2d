/** {@code bench ycsb}: the YCSB client against tables of several ports, and against their engines without Uniserve. */
@NullMarked
package io.uniserve.benchmark.ycsb;

import org.jspecify.annotations.NullMarked;
