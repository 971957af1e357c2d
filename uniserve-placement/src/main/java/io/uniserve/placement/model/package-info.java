/** Model of placement: a cluster's load and the current placement. */
@NullMarked
package io.uniserve.placement.model;

import org.jspecify.annotations.NullMarked;
