/** Certificates of processes and users: their state, and their renewal. */
@NullMarked
package io.uniserve.runtime.transport.certificate;

import org.jspecify.annotations.NullMarked;
