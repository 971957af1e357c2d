/** What placement works on: a cluster's load and where everything is. */
@NullMarked
package io.uniserve.balance.model;

import org.jspecify.annotations.NullMarked;
