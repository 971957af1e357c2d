package io.uniserve.benchmark.druid;

/**
 * Native query of Druid.
 *
 * @param exact false if Druid's answer is approximate, so that answers are reported but need not be equal
 */
record DruidQuery(String name, String json, boolean exact) {}
