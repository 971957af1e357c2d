/** Rules of users: the leader's changes. */
@NullMarked
package io.uniserve.protocol.coordinator.access;

import org.jspecify.annotations.NullMarked;
