package io.uniserve.server.query;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import java.util.Optional;

/** Planners of the ports that this server runs. Thread-safe. */
@FunctionalInterface
public interface PortPlanners {
    /** Answers the query with the port's planner. Fails with UNSUPPORTED or UNKNOWN_PORT if there is none. */
    Answer answer(String port, QueryText query, PlanContext context);

    /** Returns the query with which the port's planner explains this one; empty if the host lists the steps. */
    default Optional<String> explainQuery(String port, String text) {
        return Optional.empty();
    }

    /** Id of this server's build of the port; empty if there is none. */
    default String buildId(String port) {
        return "";
    }
}
