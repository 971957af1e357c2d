/**
 * Operators: how queries read actors. A port implements {@link io.uniserve.api.operator.RetrieveOperator}; for rows of different actors
 * that must meet, as in joins, also {@link io.uniserve.api.operator.ScatterOperator}, {@link io.uniserve.api.operator.MapOperator} and
 * {@link io.uniserve.api.operator.GatherOperator}. The types named Call are the client sides of operators.
 */
@NullMarked
package io.uniserve.api.operator;

import org.jspecify.annotations.NullMarked;
