/** Audit log of a daemon: hash-chained lines in rotated files, their verification, and a reader of the newest lines. */
@NullMarked
package io.uniserve.runtime.audit;

import org.jspecify.annotations.NullMarked;
