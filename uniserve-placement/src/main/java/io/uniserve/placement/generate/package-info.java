/** Generated placement problems by seed: the workloads of the papers as instances. */
@NullMarked
package io.uniserve.placement.generate;

import org.jspecify.annotations.NullMarked;
