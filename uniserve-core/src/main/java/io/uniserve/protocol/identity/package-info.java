/**
 * The identity of a cluster: written once with its registry, kept by servers on their disks, and compared before anything of a
 * registry is used. So a registry that was lost, or that is another cluster's of the same name, changes nothing.
 */
@NullMarked
package io.uniserve.protocol.identity;

import org.jspecify.annotations.NullMarked;
