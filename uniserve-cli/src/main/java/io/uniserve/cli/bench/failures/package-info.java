/** {@code bench failures}: effect of failing processes, disks and clusters on clients, compared with goals. */
@NullMarked
package io.uniserve.cli.bench.failures;

import org.jspecify.annotations.NullMarked;
