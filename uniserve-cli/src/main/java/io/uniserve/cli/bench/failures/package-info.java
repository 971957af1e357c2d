/** {@code bench failures}: what clients notice when processes, disks or the whole cluster fail, against goals. */
@NullMarked
package io.uniserve.cli.bench.failures;

import org.jspecify.annotations.NullMarked;
