/** Cluster in one JVM, over real sockets and files, with ZooKeeper, a coordinator and servers, for tests and experiments. */
@NullMarked
package io.uniserve.testkit.cluster;

import org.jspecify.annotations.NullMarked;
