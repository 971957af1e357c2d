package io.uniserve.api.update;

/**
 * Position of an update in the actor's log. Immutable.
 *
 * @param index log index, the same on every replica; increases from update to update
 */
public record UpdateContext(long index) {}
