/** Mapping of clients' updates, queries, snapshots and reads at one version. */
@NullMarked
package io.uniserve.runtime.proto.data;

import org.jspecify.annotations.NullMarked;
