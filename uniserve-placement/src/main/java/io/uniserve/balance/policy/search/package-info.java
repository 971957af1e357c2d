/**
 * The search behind the policies that ask for parallelism and balance: a placement whose loads, counts and costs are kept up to
 * date change by change, with a journal to take changes back, and the steps that work on it.
 */
@NullMarked
package io.uniserve.balance.policy.search;

import org.jspecify.annotations.NullMarked;
