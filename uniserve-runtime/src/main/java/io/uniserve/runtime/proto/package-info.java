/**
 * Wire format: generated protobuf classes and the mapping between them and the protocol's records. The mapping treats its input as
 * hostile: it limits every count and length, and rejects malformed input with INVALID_ARGUMENT.
 */
@NullMarked
package io.uniserve.runtime.proto;

import org.jspecify.annotations.NullMarked;
