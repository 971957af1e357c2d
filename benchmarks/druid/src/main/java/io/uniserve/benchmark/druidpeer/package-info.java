/**
 * Native Druid as the peer of {@code uniserve bench druid}: each of its services is a process, and one more builds and publishes segments.
 * Its jars have a distribution folder of their own, and are on no class path of Uniserve.
 */
@NullMarked
package io.uniserve.benchmark.druidpeer;

import org.jspecify.annotations.NullMarked;
