/** Execution of a plan: rounds over actors, broadcasts, shuffles, late materialization and the merge of results. */
@NullMarked
package io.uniserve.sql.execute;

import org.jspecify.annotations.NullMarked;
