/** Identity of a process towards ZooKeeper: TLS, access lists of the cluster's nodes, and their check. */
@NullMarked
package io.uniserve.runtime.registry.access;

import org.jspecify.annotations.NullMarked;
