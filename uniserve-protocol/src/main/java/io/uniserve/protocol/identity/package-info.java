/**
 * Identity of a cluster: written once into its registry, kept by servers on their disks, and compared before anything of a registry is
 * used. So a registry that lost its data, or belongs to another cluster of the same name, causes no change.
 */
@NullMarked
package io.uniserve.protocol.identity;

import org.jspecify.annotations.NullMarked;
