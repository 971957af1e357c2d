/** Rules of users as servers and coordinators follow them. */
@NullMarked
package io.uniserve.protocol.access;

import org.jspecify.annotations.NullMarked;
