/** Manual moves of replicas between servers, drains, and replica counts. */
@NullMarked
package io.uniserve.cli.move;

import org.jspecify.annotations.NullMarked;
