/** Tests of the identity of clusters. */
@NullMarked
package io.uniserve.protocol.identity;

import org.jspecify.annotations.NullMarked;
