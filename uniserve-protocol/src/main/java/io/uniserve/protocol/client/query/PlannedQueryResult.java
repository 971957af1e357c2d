package io.uniserve.protocol.client.query;

import io.uniserve.api.plan.Answer;

/** Answer of a planned query, with its statistics. */
public record PlannedQueryResult(Answer answer, QueryResult.Stats stats) {}
