/**
 * The cluster's registry over ZooKeeper (with Curator), its twin in memory, and a ZooKeeper server in this process.
 */
@NullMarked
package io.uniserve.runtime.registry;

import org.jspecify.annotations.NullMarked;
