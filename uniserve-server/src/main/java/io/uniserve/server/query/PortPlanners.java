package io.uniserve.server.query;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;

/** The planners of the ports that this server runs. Safe for use by several threads. */
@FunctionalInterface
public interface PortPlanners {
    /** Answers the query with the port's planner; UNSUPPORTED or UNKNOWN_PORT where there is none. */
    Answer answer(String port, QueryText query, PlanContext context);

    /** What tells this server's port from other builds of it; empty where nothing does. */
    default String build(String port) {
        return "";
    }
}
