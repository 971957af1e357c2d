/**
 * View of a cluster for the commands, through its servers and coordinators. The interface has only the methods that commands need, so that
 * tests can implement it.
 */
@NullMarked
package io.uniserve.cli.cluster;

import org.jspecify.annotations.NullMarked;
