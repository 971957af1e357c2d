/** {@code bench failures}: effect of failing processes, disks and clusters on clients, compared with goals. */
@NullMarked
package io.uniserve.benchmark.failures;

import org.jspecify.annotations.NullMarked;
