/** The policies that ship: thin layers over the search, and the simple ones they are compared with. */
@NullMarked
package io.uniserve.balance.policy.basic;

import org.jspecify.annotations.NullMarked;
