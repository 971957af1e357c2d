/** The interface of placement policies: pure functions from a cluster's load to a proposal. */
@NullMarked
package io.uniserve.placement.policy;

import org.jspecify.annotations.NullMarked;
