/**
 * Search of the policies for parallelism and balance: a state with incrementally updated loads, counts and costs, a journal for undo, and
 * the steps that work on the state.
 */
@NullMarked
package io.uniserve.placement.policy.search;

import org.jspecify.annotations.NullMarked;
