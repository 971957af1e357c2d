/** Tests of a replica's parts. */
@NullMarked
package io.uniserve.protocol.replica;

import org.jspecify.annotations.NullMarked;
