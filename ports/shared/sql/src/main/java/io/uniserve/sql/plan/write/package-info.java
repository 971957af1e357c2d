/** SQL text of fragments and merges, in the dialect of an engine. */
@NullMarked
package io.uniserve.sql.plan.write;

import org.jspecify.annotations.NullMarked;
