/**
 * Port API: the types that a port implements or uses, in the order in which a port author meets them.
 *
 * <ol>
 *   <li>{@link io.uniserve.api.Engine}: entry point of the port; describes it, checks tables, starts instances.
 *   <li>{@link io.uniserve.api.EngineContext}: scratch directory and settings of an instance.
 *   <li>{@link io.uniserve.api.EngineFunctions}: the port's operators and update functions, listed once.
 *   <li>{@link io.uniserve.api.EngineInstance}: running engine of one server; {@code EngineFunctions} builds it.
 *   <li>{@link io.uniserve.api.EngineErrorMapper}: translates the engine's exceptions to error codes.
 *   <li>{@link io.uniserve.api.ActorFactory}: creates empty actors and restores actors from checkpoints.
 *   <li>{@link io.uniserve.api.ActorContext}: table, number and scratch directory of a new actor.
 *   <li>{@link io.uniserve.api.TrackingActorFactory}: factory that closes its actors with the engine.
 *   <li>{@link io.uniserve.api.Actor}: replica of one partition; publishes updates and writes checkpoints.
 *   <li>{@link io.uniserve.api.ActorView}: object that operators read: an actor, or a snapshot of one.
 *   <li>{@link io.uniserve.api.ActorUsage}: rows, memory and disk of an actor.
 *   <li>{@link io.uniserve.api.ContentDigest}: digest that compares the contents of replicas.
 *   <li>{@link io.uniserve.api.Row}: row of a table; its partition key selects the actor.
 *   <li>{@link io.uniserve.api.Document}: the standard row, named fields.
 *   <li>{@link io.uniserve.api.update.EventualUpdate}: function that changes an actor by rows.
 *   <li>{@link io.uniserve.api.operator.RetrieveOperator}: function that reads an actor for a query.
 *   <li>{@link io.uniserve.api.QueryCancellation}: deadline and cancellation of a query.
 *   <li>{@link io.uniserve.api.plan.Planner}: the engine's own query language, if it has one.
 * </ol>
 *
 * <p>Further types are in {@link io.uniserve.api.update}, {@link io.uniserve.api.operator} and {@link io.uniserve.api.plan}; types for
 * special cases are in {@link io.uniserve.api.extra}. docs/manual/write-a-port.md builds a port step by step.
 */
@NullMarked
package io.uniserve.api;

import org.jspecify.annotations.NullMarked;
