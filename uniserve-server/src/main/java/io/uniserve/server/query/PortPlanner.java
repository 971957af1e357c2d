package io.uniserve.server.query;

import io.uniserve.api.plan.Planner;

/** A port's planner and the loader that is the context class loader of every call into it. */
public record PortPlanner(Planner planner, ClassLoader classLoader) {}
