package io.uniserve.server.query;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import java.util.Optional;

/** The planners of the ports that this server runs. Safe for use by several threads. */
@FunctionalInterface
public interface PortPlanners {
    /** Answers the query with the port's planner; UNSUPPORTED or UNKNOWN_PORT where there is none. */
    Answer answer(String port, QueryText query, PlanContext context);

    /** The query that has the port's planner explain another one; empty where the host tells the steps. */
    default Optional<String> explaining(String port, String text) {
        return Optional.empty();
    }

    /** What tells this server's port from other builds of it; empty where nothing does. */
    default String build(String port) {
        return "";
    }
}
