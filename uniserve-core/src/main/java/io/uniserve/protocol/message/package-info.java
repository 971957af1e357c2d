/** What servers, coordinators and clients say to each other, as immutable records without any transport. */
@NullMarked
package io.uniserve.protocol.message;

import org.jspecify.annotations.NullMarked;
