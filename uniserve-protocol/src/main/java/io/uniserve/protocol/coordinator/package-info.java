/** The leading coordinator: its term, the dispatch of administration requests and the status of the cluster (docs/protocol.md, section 6). */
@NullMarked
package io.uniserve.protocol.coordinator;

import org.jspecify.annotations.NullMarked;
