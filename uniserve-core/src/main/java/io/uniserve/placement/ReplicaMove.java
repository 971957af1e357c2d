package io.uniserve.placement;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;

/**
 * One replica's move from a server to another.
 *
 * @param why in a few words, for operators
 */
public record ReplicaMove(ReplicaKey key, ServerId from, ServerId to, String why) {}
