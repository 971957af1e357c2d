/** Calls into ports: actors by replica, held while they are read, saved to and restored from verified checkpoints. */
@NullMarked
package io.uniserve.runtime.engine;

import org.jspecify.annotations.NullMarked;
