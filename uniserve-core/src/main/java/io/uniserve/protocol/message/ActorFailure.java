package io.uniserve.protocol.message;

import io.uniserve.error.ErrorCode;

/** Why one actor was not served. {@code epoch} is the replica's installed epoch, 0 where unknown. */
public record ActorFailure(int actor, ErrorCode code, String message, long epoch) {}
