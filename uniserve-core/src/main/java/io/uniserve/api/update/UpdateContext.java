package io.uniserve.api.update;

/**
 * Where the update stands.
 *
 * @param index log index, the same on every replica; grows by at least one from update to update
 */
public record UpdateContext(long index) {}
