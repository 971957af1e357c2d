/** Shipped policies: thin layers over the search, and simple policies for comparison. */
@NullMarked
package io.uniserve.placement.policy.basic;

import org.jspecify.annotations.NullMarked;
