/** The client's view of the cluster: routes, server health, latencies and the policy that chooses replicas (docs/protocol.md, section 4). */
@NullMarked
package io.uniserve.protocol.client.routing;

import org.jspecify.annotations.NullMarked;
