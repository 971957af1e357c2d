/**
 * A whole cluster in one JVM, over real sockets and files: ZooKeeper, a coordinator and servers, for tests and for trying
 * things out.
 */
@NullMarked
package io.uniserve.testkit.cluster;

import org.jspecify.annotations.NullMarked;
