/** Calls into ports. It has the actors by replica, pins them for readers, and writes and restores verified checkpoints. */
@NullMarked
package io.uniserve.runtime.engine;

import org.jspecify.annotations.NullMarked;
