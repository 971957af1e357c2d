package io.uniserve.placement;

import io.uniserve.model.ServerId;

/**
 * A server as a placement policy sees it.
 *
 * @param zone failure domain; replicas of one actor are spread over zones where possible
 * @param primaries actors it is the primary of
 * @param replicas replicas it holds, primaries and learners included
 */
public record ServerView(ServerId id, String zone, int primaries, int replicas) {}
