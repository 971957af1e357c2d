/**
 * The wire format: generated protobuf classes and the mapping between them and the protocol's own records. Mapping treats
 * its input as hostile: it bounds every count and length and turns what is malformed into INVALID_ARGUMENT.
 */
@NullMarked
package io.uniserve.runtime.proto;

import org.jspecify.annotations.NullMarked;
