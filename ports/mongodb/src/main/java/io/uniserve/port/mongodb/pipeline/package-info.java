/** Rewriting of pipelines: halves for actors and merge, and the values by which documents are joined. No engine. */
@NullMarked
package io.uniserve.port.mongodb.pipeline;

import org.jspecify.annotations.NullMarked;
