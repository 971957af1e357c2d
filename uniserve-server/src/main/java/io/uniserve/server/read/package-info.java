/**
 * The hot read path of a server: a transport thread hands a request to the read workers, these check the gate of each
 * actor, pin it, run the operator, check again by the clock and reply once. No lock, no hop through the server's loop, no
 * ZooKeeper.
 */
@NullMarked
package io.uniserve.server.read;

import org.jspecify.annotations.NullMarked;
