/** Placement problems by seed: the papers' workloads as instances. */
@NullMarked
package io.uniserve.balance.generate;

import org.jspecify.annotations.NullMarked;
