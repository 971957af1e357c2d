package io.uniserve.api.plan;

import io.uniserve.codec.Bytes;

/** A query's final answer in the engine's own format, e.g. {@code application/json}. */
public record Answer(String contentType, Bytes body) {}
