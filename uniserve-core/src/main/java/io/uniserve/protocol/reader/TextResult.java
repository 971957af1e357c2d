package io.uniserve.protocol.reader;

import io.uniserve.api.plan.Answer;

/** A planned query's answer, and what it took. */
public record TextResult(Answer answer, QueryResult.Stats stats) {}
