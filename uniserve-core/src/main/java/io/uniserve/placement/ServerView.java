package io.uniserve.placement;

import io.uniserve.model.ServerId;

/**
 * Server as input of a placement policy.
 *
 * @param zone failure domain; replicas of one actor are spread over zones if possible
 * @param primaries number of its primaries
 * @param replicas number of its replicas, including primaries and learners
 */
public record ServerView(ServerId id, String zone, int primaries, int replicas) {}
