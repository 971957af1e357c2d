/** Planning of a query: blocks, scopes, join trees, push-down, sub-queries and the fragments for actors. */
@NullMarked
package io.uniserve.sql.plan;

import org.jspecify.annotations.NullMarked;
