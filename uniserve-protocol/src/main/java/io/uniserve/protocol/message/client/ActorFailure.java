package io.uniserve.protocol.message.client;

import io.uniserve.error.ErrorCode;

/** Error of one actor in a request. {@code epoch} is the replica's installed epoch, 0 if unknown. */
public record ActorFailure(int actor, ErrorCode code, String message, long epoch) {}
