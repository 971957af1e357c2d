/**
 * A cluster as the commands see it, reached through its servers and coordinators. The interface is what the commands need and
 * no more, so that their tests can put a cluster of their own behind it.
 */
@NullMarked
package io.uniserve.cli.cluster;

import org.jspecify.annotations.NullMarked;
