package io.uniserve.placement;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;

/**
 * Move of one replica between servers.
 *
 * @param reason short reason, for operators
 */
public record ReplicaMove(ReplicaKey key, ServerId from, ServerId to, String reason) {}
