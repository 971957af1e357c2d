/**
 * Planning: how a port turns its engine's query language into operators over tables. A port implements
 * {@link io.uniserve.api.plan.Planner} and uses {@link io.uniserve.api.plan.PlanContext}.
 */
@NullMarked
package io.uniserve.api.plan;

import org.jspecify.annotations.NullMarked;
