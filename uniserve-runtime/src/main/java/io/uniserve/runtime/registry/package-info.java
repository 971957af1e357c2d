/** Registry of the cluster in ZooKeeper (with Curator), its in-memory counterpart, and an embedded ZooKeeper server. */
@NullMarked
package io.uniserve.runtime.registry;

import org.jspecify.annotations.NullMarked;
